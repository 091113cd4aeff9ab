import type { BankReceipt } from '@quittance/contracts/bank-receipts'
import type { CommandContext } from '@quittance/runtime/handler'
import { TooManyCredits } from './comparison-budget.ts'
import { digestedReference, type StatementCredit } from './statement-credit.ts'

/** A receipt that is recorded already. */
export interface RecordedReceipt extends Pick<
  BankReceipt,
  'id' | 'bank_reference' | 'currency' | 'reference' | 'payer_name' | 'payment_id' | 'source'
> {
  /** Minor units. */
  amount: string
  /** The reference that the payer of its payment was asked to write; null without a payment. */
  payment_reference: string | null
  is_returned: boolean
}

const maxRecorded = 10_000

/** One of a credit without a reference of the bank has a digest in place of it. */
const select = `
  select b.id, b.bank_reference, b.amount::text, b.currency, b.reference, b.payer_name, b.payment_id, b.source,
    b.returned_at is not null as is_returned, p.provider_payment as payment_reference
  from bank_receipts b left join payments p on p.id = b.payment_id
  where b.payment_account_id = :account and b.organization_id = any (:scope_organizations) and (b.bank_reference = any (:references)
    or (b.booked_on = any (:days) and (regexp_replace(b.bank_reference, '/[0-9]+$', '') = any (:references)
      or (b.amount = any (:unnamed_amounts::bigint[]) and b.bank_reference ~ '${digestedReference}'))))
  order by b.created_at, b.id
  limit ${maxRecorded + 1}`

/**
 * Finds the receipts that credits may be. One of the seller has the day that the seller entered.
 *
 * @throws TooManyCredits if there are more than one import can compare.
 */
export async function findRecorded(
  { sql }: CommandContext,
  { accountId, credits }: { accountId: string; credits: readonly StatementCredit[] },
): Promise<RecordedReceipt[]> {
  const unnamed = credits.filter(({ hasReference }) => !hasReference)
  const recorded = await sql<RecordedReceipt>('bank-receipts.find-recorded', select, {
    account: accountId,
    days: [...new Set(credits.map(({ bookedOn }) => bookedOn))],
    references: [...new Set(credits.flatMap(({ bankReference, booking }) => [bankReference, ...(booking ? [booking.bankReference] : [])]))],
    unnamed_amounts: [...new Set(unnamed.map(({ amount }) => String(amount)))],
  })
  if (recorded.length > maxRecorded) throw new TooManyCredits()
  return recorded
}
