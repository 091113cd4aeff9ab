import type { CommandContext } from '@quittance/runtime/handler'
import { checkPayments, lockPayments } from './bank-receipt.ts'
import { completeContent } from './compare-texts.ts'
import { findPayments } from './find-payments.ts'
import type { IdentifiedCredit } from './identify-credits.ts'
import type { StatementCredit } from './statement-credit.ts'

const update = `
  update bank_receipts b set reference = r.reference, payer_name = r."payerName", payment_id = r."paymentId", modified_at = now(),
    version = b.version + 1
  from jsonb_to_recordset(:receipts::jsonb) as r (id uuid, reference text, "payerName" text, "paymentId" uuid)
  where b.id = r.id and b.payment_account_id = :account and b.payment_id is null and b.returned_at is null
    and b.organization_id = any (:scope_organizations)`

/**
 * Stores what the bank has completed of receipts without a payment, and assigns those that name one now, as new ones. Returned receipts, and
 * those that have a payment, stay as they are.
 *
 * @returns the payments that were assigned, by credit
 */
export async function completeReceipts(
  context: CommandContext,
  { accountId, identified }: { accountId: string; identified: readonly IdentifiedCredit[] },
): Promise<Map<StatementCredit, string>> {
  const completed = identified.flatMap(({ credit, recorded, isConflict }) => {
    if (!recorded || isConflict || recorded.payment_id !== null || recorded.is_returned) return []
    const { payer, text } = completeContent(
      { payer: recorded.payer_name, text: recorded.reference },
      { payer: credit.payerName, text: credit.text },
    )
    const isSame = payer === recorded.payer_name && text === recorded.reference
    return isSame ? [] : [{ id: recorded.id, credit: { ...credit, payerName: payer, text }, of: credit }]
  })
  if (completed.length === 0) return new Map()
  const payments = await findPayments(context, { accountId, credits: completed.map(({ credit }) => credit) })
  const receipts = completed.map(({ id, credit }) => ({
    id,
    reference: credit.text,
    payerName: credit.payerName,
    paymentId: payments.get(credit) ?? null,
  }))
  await lockPayments(context, [...payments.values()])
  await context.sql('bank-receipts.complete', update, { account: accountId, receipts: JSON.stringify(receipts) })
  await checkPayments(context, [...payments.values()])
  return new Map(
    completed.flatMap(({ credit, of }): [StatementCredit, string][] => {
      const payment = payments.get(credit)
      return payment ? [[of, payment]] : []
    }),
  )
}
