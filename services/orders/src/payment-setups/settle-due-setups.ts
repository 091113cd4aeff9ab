import { job } from '@quittance/runtime/handler'
import { settleDueSetupsJobName } from '../job-names.ts'
import { selectDueChecks, toDriven, type DueRow } from '../payments/settle-due-payments.ts'
import { driveSetup, setupsInProgress } from './drive-setup.ts'

const batch = 20

const claim = `
  update payment_setups set leased_until = now() + :lease * interval '1 millisecond'
  where id = any (array(${selectDueChecks('payment_setups')}))
  returning id, organization_id, payment_account_id, leased_until::text as lease, traceparent`

/** Drives every setup whose next check is due, as `settleDuePayments` drives payments. */
export const settleDueSetups = job({
  name: settleDueSetupsJobName,
  everyMs: 1_000,
  async run(context) {
    const limit = Math.min(batch, setupsInProgress.free())
    if (limit === 0) return false
    const due = await context.systemSql<DueRow>('payment-setups.claim', claim, {
      lease: context.leaseMs,
      limit,
      busy: setupsInProgress.findBusyAccounts(),
    })
    for (const row of due) void setupsInProgress.run(row.id, () => driveSetup(toDriven(row), { context }), row.payment_account_id)
    return due.length === limit
  },
})
