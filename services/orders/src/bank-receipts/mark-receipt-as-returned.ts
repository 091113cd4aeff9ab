import { markReceiptAsReturned as contract, type BankReceipt } from '@quittance/contracts/bank-receipts'
import { Conflict } from '@quittance/contracts/errors'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { bankReceiptView, lockReceipts } from './bank-receipt.ts'

const findComplete = `
  select 1 from payments p
  where p.id = :payment::uuid and p.captured_amount is null and p.organization_id = any (:scope_organizations)
    and p.amount <= (select sum(r.unapplied_amount) from bank_receipts r where r.payment_id = p.id)`

const mark = `
  update bank_receipts set returned_amount = unapplied_amount, unapplied_amount = 0, returned_at = now(), modified_at = now(), version = version + 1
  where id = :id and organization_id = any (:scope_organizations)`

/** Records that the seller returned what no order has taken of a receipt. */
export const markReceiptAsReturned = command(contract, async ({ id }, context) => {
  const { sql, read } = context
  const readReceipt = () => read.one(bankReceiptView, { where: 'b.id = :id', values: { id } })
  const { payment_account_id } = JSON.parse(await readReceipt()) as BankReceipt
  await lockReceipts(context, payment_account_id)
  const known = await readReceipt()
  const receipt = JSON.parse(known) as BankReceipt
  if (receipt.returned_at) return known
  await assertReturnable(receipt, context)
  await sql('bank-receipt.mark-as-returned', mark, { id })
  return readReceipt()
})

/** A payment that is complete takes its amount in a moment: what is over is known then. */
async function assertReturnable({ id, payment_id: payment, unapplied_amount }: BankReceipt, { sql }: CommandContext): Promise<void> {
  if (!unapplied_amount) throw new Conflict(`Nothing of receipt ${id} is unapplied.`)
  const complete = await sql('bank-receipt.find-complete-payment', findComplete, { payment })
  if (complete.length > 0) throw new Conflict(`The payment of receipt ${id} is complete and being applied. Try again in a moment.`)
}
