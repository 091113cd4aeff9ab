import { webhookEndpointFailing } from '@quittance/contracts/webhooks'
import { job, type Job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { disableEndpoint, publishEndpointEvent } from './disable-endpoint.ts'

interface FailingEndpoint {
  id: string
  organization_id: string
}

const warnSql = `
  select e.id, e.organization_id from webhook_lanes l join webhook_endpoints e on e.id = l.endpoint_id
  where l.failing_since < now() - :after_s * interval '1 second' and l.warned_at is null and e.disabled_at is null and e.deleted_at is null
  limit 100`
const warnedSql = `
  update webhook_lanes l set warned_at = now() from webhook_endpoints e
  where e.id = :id and e.organization_id = any (:scope_organizations) and l.endpoint_id = e.id and l.warned_at is null
    and l.failing_since is not null
  returning l.endpoint_id`

// Requires both a duration and a number of events: a count alone would disable a busy endpoint after an outage of one minute.
// Examples that the seller sends to test the endpoint are not counted.
const disableSql = `
  select e.id, e.organization_id from webhook_lanes l join webhook_endpoints e on e.id = l.endpoint_id
  where l.failing_since < now() - :after_s * interval '1 second' and e.disabled_at is null and e.deleted_at is null
    and (select count(*) from (
      select distinct a.event_id from webhook_attempts a
      where a.endpoint_id = l.endpoint_id and a.created_at >= l.failing_since and not a.succeeded
        and not exists (
          select from webhook_deliveries d
          where d.event_id = a.event_id and d.endpoint_id = a.endpoint_id and d.occurred_at = a.occurred_at and d.is_test)
      limit 10) failed) >= 10
  limit 100`

// An earlier endpoint of the same list may have taken long, and this one succeeded, or its seller corrected its URL.
const stillFailingSql = `
  select e.id from webhook_lanes l join webhook_endpoints e on e.id = l.endpoint_id
  where e.id = :id and e.organization_id = any (:scope_organizations) and l.failing_since < now() - :after_s * interval '1 second'`

const maxIntervalMs = 60_000

/** Publishes a warning for endpoints without a success, and disables them later. One success resets the time. */
export function disableFailingEndpoints(): Job {
  const { FAILING_WARN_AFTER_S: warnAfter, FAILING_DISABLE_AFTER_S: disableAfter } = config()
  return job({
    name: 'watch-failing',
    everyMs: Math.min(maxIntervalMs, (Math.min(warnAfter, disableAfter) * 1000) / 4),
    async run(context) {
      const toWarn = await context.systemSql<FailingEndpoint>('lanes.to-warn', warnSql, { after_s: warnAfter })
      for (const endpoint of toWarn) await change(context, { endpoint, work: warn, failed: 'endpoint.not-warned' })
      const toDisable = await context.systemSql<FailingEndpoint>('lanes.to-disable', disableSql, { after_s: disableAfter })
      for (const endpoint of toDisable) await change(context, { endpoint, work: disable, failed: 'endpoint.not-disabled' })
      return false
    },
  })
}

async function warn(transaction: Transaction, id: string): Promise<void> {
  const warned = await transaction.sql('lanes.warned', warnedSql, { id })
  if (warned.length > 0) await publishEndpointEvent(transaction, { event: webhookEndpointFailing, id })
}

async function disable(transaction: Transaction, id: string): Promise<void> {
  const failing = await transaction.sql('lanes.still-failing', stillFailingSql, { id, after_s: config().FAILING_DISABLE_AFTER_S })
  if (failing.length > 0) await disableEndpoint(transaction, { id, reason: 'failing' })
}

interface EndpointChange {
  endpoint: FailingEndpoint
  work(transaction: Transaction, id: string): Promise<void>
  /** Name of the log event if it fails. */
  failed: string
}

/** Changes one endpoint. An error is logged, so that the other endpoints are changed too; the next run repeats it. */
async function change({ transaction, log }: JobContext, { endpoint, work, failed }: EndpointChange): Promise<void> {
  const { id, organization_id } = endpoint
  await transaction(organization_id, (within) => work(within, id)).catch((error: unknown) =>
    log.error({ err: error, endpoint_id: id, organization_id }, failed),
  )
}
