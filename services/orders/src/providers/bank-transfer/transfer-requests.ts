import { createHash } from 'node:crypto'
import { computeMod97, rotateCheckDigits } from '@quittance/contracts/iban'
import { currencyDigits } from '@quittance/contracts/money'
import type { Transaction } from '@quittance/runtime/handler'
import type { Money, TransferInstructions } from '../provider.ts'

type Sql = Transaction['sql']

/** What a buyer was asked to send, or what a seller is asked to return, with what arrived so far. */
export interface TransferRequest {
  id: string
  ours: string
  amount: string
  currency: string
  instructions: TransferInstructions | null
  status: 'prepared' | 'requested' | 'canceled' | 'paid'
  received: string
}

/** A request to make. */
export type NewTransferRequest = Pick<TransferRequest, 'id' | 'ours' | 'instructions' | 'status'> & {
  kind: 'charge' | 'refund'
  accountId: string
  organizationId: string
  amount: bigint
  currency: string
}

const insert = `
  insert into transfer_requests (payment_account_id, id, organization_id, kind, ours, amount, currency, instructions, status)
  select :account::uuid, :id::text, :organization_id::uuid, :kind::text, :ours::uuid, :amount::bigint, :currency::text, :instructions::jsonb,
    :status::text
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (kind, ours) do nothing`

const find = `
  select t.id, t.ours, t.amount::text, t.currency, t.instructions, t.status,
    (select coalesce(sum(r.amount - r.returned_amount), 0) from bank_receipts r where r.payment_id = t.ours)::text as received
  from transfer_requests t
  where t.payment_account_id = :account and t.id = :id and t.organization_id = any (:scope_organizations)`

/** Makes a request once per payment or refund, and returns it. */
export async function makeTransferRequest(sql: Sql, request: NewTransferRequest): Promise<TransferRequest | null> {
  const { accountId, organizationId, amount, instructions, ...values } = request
  await sql('transfer-request.make', insert, {
    ...values,
    account: accountId,
    organization_id: organizationId,
    amount: String(amount),
    instructions: instructions && JSON.stringify(instructions),
  })
  return findTransferRequest(sql, { accountId, id: request.id })
}

/** Finds a request by its reference; null if there is none. */
export async function findTransferRequest(sql: Sql, { accountId, id }: { accountId: string; id: string }): Promise<TransferRequest | null> {
  const [found] = await sql<TransferRequest>('transfer-request.find', find, { account: accountId, id })
  return found ?? null
}

const update = `
  update transfer_requests set status = :status
  where payment_account_id = :account and id = :id and status = any (:before) and organization_id = any (:scope_organizations)`

/** Changes the status of a request that has one of the statuses before. */
export async function changeTransferRequest(
  sql: Sql,
  {
    accountId,
    id,
    status,
    before,
  }: { accountId: string; id: string; status: TransferRequest['status']; before: TransferRequest['status'][] },
): Promise<TransferRequest | null> {
  await sql('transfer-request.change', update, { account: accountId, id, status, before })
  return findTransferRequest(sql, { accountId, id })
}

const settings = `
  select settings->'bank' as bank, to_json(now())#>>'{}' as now from payment_accounts
  where id = :account and organization_id = any (:scope_organizations)`

/** Details of the bank account, as the seller gave them, and the time of the database. */
export interface BankSettings {
  bank: { beneficiary: string; iban: string; bic: string | null; currency: string; due_days: number } | null
  now: string
}

export async function loadBankSettings(sql: Sql, accountId: string): Promise<BankSettings> {
  const [row] = await sql<BankSettings>('transfer-request.settings', settings, { account: accountId })
  return row ?? { bank: null, now: new Date().toISOString() }
}

/** Without characters that are easily confused, because people type references. */
const alphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWX'
const bodyLength = 12

/**
 * Returns the creditor reference (ISO 11649) of an id: `RF`, two check digits and twelve characters, always the same for the same id. Sixty
 * bits of its digest: two payments of one account do not share one.
 */
export function formatCreditorReference(id: string): string {
  const digest = createHash('sha256').update(id).digest()
  const body = [...digest.subarray(0, bodyLength)].map((byte) => alphabet[byte % alphabet.length]).join('')
  const check = 98 - computeMod97(rotateCheckDigits(`RF00${body}`))
  return `RF${String(check).padStart(2, '0')}${body}`
}

/** Limits of EPC069-12, version 002. */
const maxBytes = 331
const maxAmount = 99_999_999_999n

/**
 * Returns the content of the QR code from which a banking application fills in a SEPA credit transfer (EPC069-12, version 002); null for
 * amounts that are not in euro, or that it cannot hold.
 */
export function formatEpc(
  { beneficiary, iban, bic, reference }: Omit<TransferInstructions, 'epc'>,
  { amount, currency }: Money,
): string | null {
  if (currency !== 'eur' || amount < 1n || amount > maxAmount) return null
  const units = 10n ** BigInt(currencyDigits(currency))
  const written = `EUR${amount / units}.${String(amount % units).padStart(2, '0')}`
  // Line breaks separate the fields.
  const name = beneficiary.replace(/\s+/g, ' ').trim().slice(0, 70)
  const code = ['BCD', '002', '1', 'SCT', bic ?? '', name, iban, written, '', reference].join('\n')
  return Buffer.byteLength(code) <= maxBytes ? code : null
}
