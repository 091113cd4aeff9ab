import { markRefundAsPaid as contract } from '@quittance/contracts/bank-receipts'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { checkDueRefundsJobName } from '../job-names.ts'
import { refundView } from '../refunds/refund.ts'

/** Also the refund of money that no order needs, which is not listed among those of orders. */
const { counter: _, ...listed } = refundView
const anyRefundView: typeof refundView = { ...listed, name: 'refund-to-mark', from: 'refunds r' }

const mark = `
  update transfer_requests t set status = 'paid' from refunds r
  where t.kind = 'refund' and t.ours = r.id and r.id = :id and r.state in ('submitted', 'processing', 'succeeded')
    and t.organization_id = any (:scope_organizations)
  returning t.id`

const check = `
  update refunds set next_check_at = now(), leased_until = null, version = version + 1
  where id = :id and state <> 'succeeded' and organization_id = any (:scope_organizations)`

/** Records that the seller returned the money; the next read of the refund sees it, right after the commit. */
export const markRefundAsPaid = command(contract, async ({ id }, { sql, read, wake }) => {
  const refund = await read.oneOrNull(anyRefundView, { where: 'r.id = :id', values: { id } })
  if (refund === null) throw new ResourceNotFound()
  const marked = await sql('refund.mark-as-paid', mark, { id })
  if (marked.length === 0) throw new Conflict(`Refund ${id} is not one that the seller returns by bank transfer.`)
  await sql('refund.check-now', check, { id })
  wake(checkDueRefundsJobName)
  return refund
})
