import { randomUUID } from 'node:crypto'
import type { Address } from '@quittance/contracts/address'
import { customerStateChanged, type CustomerState } from '@quittance/contracts/customer-state'
import { customerCreated, type Customer } from '@quittance/contracts/customers'
import type { Metadata } from '@quittance/contracts/metadata'
import type { TaxId } from '@quittance/contracts/tax-id'
import type { Transaction } from '@quittance/runtime/handler'
import { nested, appendJsonFields, type JsonText } from '@quittance/sql/view'
import { customerColumns } from './customer-view.ts'

/** Initial details of a customer. */
export interface NewCustomer {
  organizationId: string
  email: string
  externalId: string | null
  name: string | null
  billingAddress: Address | null
  taxId: TaxId | null
  locale: string | null
  metadata: Metadata
}

const insert = `
  insert into customers as c (id, created_at, organization_id, email, external_id, name, billing_address, tax_id, locale, metadata)
  select :id::uuid, :created_at::timestamptz, :organization_id::uuid, :email::text, :external_id::text, :name::text, :billing_address::jsonb,
    :tax_id::jsonb, :locale::text, :metadata::jsonb
  where :organization_id::uuid = any (:scope_organizations)
  on conflict do nothing
  returning ${nested(customerColumns)}::text as customer`

/**
 * Inserts a customer and publishes the event. Returns null if another customer of the organization has the e-mail address or the external
 * id.
 */
export async function insertCustomer(details: NewCustomer, { sql, now, publish }: Transaction): Promise<JsonText<Customer> | null> {
  const { organizationId, email, externalId, name, billingAddress, taxId, locale, metadata } = details
  const id = randomUUID()
  const [inserted] = await sql<{ customer: JsonText<Customer> }>('customer.insert', insert, {
    id,
    created_at: now.toISOString(),
    organization_id: organizationId,
    email,
    external_id: externalId,
    name,
    billing_address: billingAddress,
    // Serialized as JSON, because the driver would write an array as a PostgreSQL array.
    tax_id: taxId && JSON.stringify(taxId),
    locale,
    metadata,
  })
  if (!inserted) return null
  const { customer } = inserted
  const state: JsonText<CustomerState> = appendJsonFields(customer, { active_subscriptions: [], granted_benefits: [], active_meters: [] })
  publish({ event: customerCreated, aggregateId: id, organizationId, payload: customer })
  publish({ event: customerStateChanged, aggregateId: id, organizationId, payload: state })
  return customer
}
