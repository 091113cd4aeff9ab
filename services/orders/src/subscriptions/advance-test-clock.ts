import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { advanceTestClock as contract } from '@quittance/contracts/test-clock'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { announceRenewalsJobName, announceTrialEndsJobName, finalOrdersJobName, renewalJobName } from '../job-names.ts'
import { hasLiveAccount } from '../providers/processor-metadata.ts'
import { loadClock, requireOrganization } from '../organizations/organization.ts'

/** Limits the work of one call: a subscription is renewed once for every period that passes. */
const maxAdvanceMs = 2 * 366 * 86_400_000

const lock = `select 1 from organizations where id = :id and id = any (:scope_organizations) for update`
const findLiveAccount = `select 1 where :id::uuid = any (:scope_organizations) and ${hasLiveAccount(':id::uuid')}`
const advance = `
  update organizations set clock_offset_ms = clock_offset_ms + :ms::bigint
  where id = :id and id = any (:scope_organizations)`

/**
 * A change in progress has read the clock behind the lock of its subscription. Afterwards a new statement sees the time that it has set, also
 * where there was none before.
 */
const lockSubscriptions = `
  select 1 from subscriptions where organization_id = :id and organization_id = any (:scope_organizations) order by created_at, id for update`

/** Brings forward, in real time, everything due at a time of the clock. */
const bringForward = `
  update subscriptions set due_at = due_at - :ms::bigint * interval '1 millisecond', version = version + 1
  where organization_id = :id and organization_id = any (:scope_organizations) and due_at is not null`

const bringOrdersForward = `
  update orders set next_payment_attempt_at = next_payment_attempt_at - :ms::bigint * interval '1 millisecond', version = version + 1
  where organization_id = :id and organization_id = any (:scope_organizations) and next_payment_attempt_at is not null`

export const advanceTestClock = command(contract, async ({ organization_id, to }, context) => {
  const { SANDBOX_TEST_CLOCK: clockSetting, SANDBOX_PAYMENTS: payments } = config()
  if (clockSetting !== 'on' || payments !== 'on') throw new NotPermitted('The test clock is disabled on this installation.')
  const { caller, sql, wake } = context
  const id = resolveOrganization(caller, organization_id)
  await requireOrganization(sql, id)
  await sql('organization.lock', lock, { id })
  const live = await sql('payment-account.find-live', findLiveAccount, { id })
  if (live.length > 0) throw new NotPermitted('The test clock is disabled for an organization with a live payment account.')
  const clock = await loadClock(context, id)
  const ms = Date.parse(to) - clock.now.getTime()
  if (ms <= 0) throw RequestValidationError.field(['to'], `Must be after ${clock.now.toISOString()}, the current time of the clock.`)
  if (ms > maxAdvanceMs) throw RequestValidationError.field(['to'], 'Must be within two years of the current time of the clock.')
  await sql('organization.advance-clock', advance, { id, ms })
  await sql('subscriptions.lock', lockSubscriptions, { id })
  await sql('subscriptions.bring-forward', bringForward, { id, ms })
  await sql('orders.bring-forward', bringOrdersForward, { id, ms })
  wake(renewalJobName, finalOrdersJobName, announceRenewalsJobName, announceTrialEndsJobName)
  return { organization_id: id, now: new Date(to).toISOString() }
})
