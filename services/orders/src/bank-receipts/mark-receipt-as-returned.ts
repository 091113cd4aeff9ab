import { markReceiptAsReturned as contract, type BankReceipt } from '@quittance/contracts/bank-receipts'
import { Conflict } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { assertNotBeingApplied, bankReceiptView, lockReceipts } from './bank-receipt.ts'

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
  if (!receipt.unapplied_amount) throw new Conflict(`Nothing of receipt ${id} is unapplied.`)
  await assertNotBeingApplied(context, receipt)
  await sql('bank-receipt.mark-as-returned', mark, { id })
  return readReceipt()
})
