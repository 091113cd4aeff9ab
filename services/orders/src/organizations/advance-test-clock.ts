import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { advanceTestClock as contract } from '@quittance/contracts/test-clock'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { renewalJob } from '../subscriptions/renewal-job.ts'
import { clockOf } from './clock.ts'
import { demandOrganization } from './demand-organization.ts'

/** A subscription is renewed once for every period that passes, so the work a call can cause is limited. */
const farthestMs = 2 * 366 * 86_400_000

const hold = `select 1 from organizations where id = :id for update`
const advance = `update organizations set clock_offset_ms = clock_offset_ms + :ms::bigint where id = :id`

/** What waits for a moment of the clock waits less long in real time. */
const bringForward = `
  update subscriptions set due_at = due_at - :ms::bigint * interval '1 millisecond', version = version + 1
  where organization_id = :id and due_at is not null`

export const advanceTestClock = command(contract, async ({ organization_id, to }, context) => {
  if (config().SANDBOX_TEST_CLOCK !== 'on') throw new NotPermitted('The test clock is switched off here.')
  const { caller, rows, wake } = context
  const id = chosenOrganization(caller, organization_id)
  await demandOrganization(rows, id)
  await rows('organization.hold', hold, { id })
  const clock = await clockOf(context, id)
  const ms = Date.parse(to) - clock.now.getTime()
  if (ms <= 0) throw RequestValidationError.field(['to'], `The clock shows ${clock.now.toISOString()} and never goes back.`)
  if (ms > farthestMs) throw RequestValidationError.field(['to'], 'Must be within two years of what the clock shows.')
  await rows('organization.advance-clock', advance, { id, ms })
  await rows('subscriptions.bring-forward', bringForward, { id, ms })
  wake(renewalJob)
  return { organization_id: id, now: new Date(to).toISOString() }
})
