import { migration } from '@quittance/runtime/schema'

/**
 * Payments of orders that were invoiced before: the snapshots of their invoices are permanent and state that the money is due. The release
 * before neither reads nor writes the table, so the replacement of an invoice asks for the money again until this release issues it.
 */
export const recordTransferPayments = migration('20261127122000-record-transfer-payments', [
  `create table transfer_payments (
    order_id uuid primary key,
    organization_id uuid not null,
    paid_at timestamptz not null,
    payment jsonb,
    created_at timestamptz not null default now()
  )`,
])
