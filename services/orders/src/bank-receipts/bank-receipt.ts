import type { BankReceipt } from '@quittance/contracts/bank-receipts'
import { Conflict } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import type { View } from '@quittance/sql/view'
import { settleDuePaymentsJobName } from '../job-names.ts'

/** The refund of a receipt `b` whose payment no order needs, until the seller has returned it; null otherwise. */
const surplusRefund = `(select r.id from refunds r where r.payment_id = b.payment_id and r.purpose = 'surplus' and r.status = 'pending')`

export const bankReceiptView: View<BankReceipt> = {
  name: 'bank-receipt',
  organization: 'b.organization_id',
  from: 'bank_receipts b',
  columns: `b.id, b.created_at, b.modified_at, b.organization_id, b.payment_account_id, b.payment_id, b.amount, b.currency, b.booked_on,
    b.reference, b.payer_name, b.bank_reference, b.source, b.unapplied_amount, b.returned_amount, b.returned_at,
    ${surplusRefund} as surplus_refund_id`,
}

/** Money that arrived, to record. */
export interface NewReceipt {
  paymentId: string | null
  amount: bigint
  currency: string
  bookedOn: string
  reference: string | null
  payerName: string | null
  bankReference: string
}

const insert = `
  insert into bank_receipts (id, created_at, organization_id, payment_account_id, payment_id, amount, currency, booked_on, reference, payer_name,
    bank_reference, source)
  select gen_random_uuid(), now(), a.organization_id, a.id, r."paymentId", r.amount, r.currency, r."bookedOn", r.reference, r."payerName",
    r."bankReference", :source
  from payment_accounts a, jsonb_to_recordset(:receipts::jsonb) as r ("paymentId" uuid, amount bigint, currency text, "bookedOn" date,
    reference text, "payerName" text, "bankReference" text)
  where a.id = :account and a.organization_id = any (:scope_organizations)
  on conflict on constraint bank_receipts_unique_at_bank do nothing
  returning id, bank_reference`

/** A receipt was added to these payments: they are checked now, settled ones too. */
const check = `
  update payments set next_check_at = now(), version = version + 1 where id = any (:ids) and organization_id = any (:scope_organizations)`

const lock = `
  select id from payments where id = any (:ids) and organization_id = any (:scope_organizations) order by id for no key update`

/**
 * Locks payments, before receipts name them: the foreign key would take a weaker lock first, and then wait for a settlement that waits for
 * this transaction.
 */
export async function lockPayments({ sql }: Pick<Transaction, 'sql'>, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql('bank-receipts.lock-payments', lock, { ids: [...new Set(ids)] })
}

/** Records receipts of an account, each once, and lets their payments be checked. Returns the references of the new ones with their ids. */
export async function recordReceipts(
  context: Pick<Transaction, 'sql' | 'wake'>,
  { accountId, source, receipts }: { accountId: string; source: BankReceipt['source']; receipts: readonly NewReceipt[] },
): Promise<Map<string, string>> {
  await lockPayments(
    context,
    receipts.flatMap(({ paymentId }) => paymentId ?? []),
  )
  const values = JSON.stringify(receipts.map((receipt) => ({ ...receipt, amount: String(receipt.amount) })))
  const inserted = await context.sql<{ id: string; bank_reference: string }>('bank-receipts.insert', insert, {
    account: accountId,
    source,
    receipts: values,
  })
  const made = new Map(inserted.map(({ id, bank_reference }) => [bank_reference, id]))
  await checkPayments(
    context,
    receipts.flatMap(({ paymentId, bankReference }) => (paymentId && made.has(bankReference) ? [paymentId] : [])),
  )
  return made
}

/** Lets payments be checked now. They are locked before their receipts are written: see `lockPayments`. */
export async function checkPayments({ sql, wake }: Pick<Transaction, 'sql' | 'wake'>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql('bank-receipts.check-payments', check, { ids: [...new Set(ids)] })
  wake(settleDuePaymentsJobName)
}

/** Serializes changes of the receipts of an account. */
export function lockReceipts({ lockNames }: Pick<Transaction, 'lockNames'>, accountId: string): Promise<void> {
  return lockNames([`bank receipts ${accountId}`])
}

const findComplete = `
  select 1 from payments p
  where p.id = :payment::uuid and p.captured_amount is null and p.organization_id = any (:scope_organizations)
    and p.amount <= (select sum(r.unapplied_amount) from bank_receipts r where r.payment_id = p.id)`

/**
 * A payment that is complete takes its amount in a moment: what is over is known then.
 *
 * @throws Conflict until then.
 */
export async function assertNotBeingApplied(
  { sql }: Pick<Transaction, 'sql'>,
  { id, payment_id: payment }: Pick<BankReceipt, 'id' | 'payment_id'>,
): Promise<void> {
  const complete = await sql('bank-receipt.find-complete-payment', findComplete, { payment })
  if (complete.length > 0) throw new Conflict(`The payment of receipt ${id} is complete and being applied. Try again in a moment.`)
}
