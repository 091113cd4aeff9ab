import type { Caller } from '@quittance/contracts/caller'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { UsageEventInput } from '@quittance/contracts/usage-events'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'

/** An event whose organization and time are known. */
export interface ResolvedEvent {
  organizationId: string
  customerId: string | null
  externalCustomerId: string | null
  externalId: string | null
  /** RFC 3339. */
  occurredAt: string
  name: string
  /** JSON. */
  metadata: string
}

/** A violated rule of one event. */
interface EventIssue {
  index: number
  key: string
  msg: string
  type: string
}

/** How far the clock of a client may be ahead. */
const maxAheadMs = 5 * 60_000

/** Maximum number of issues in a reply. */
const maxIssues = 100

/** Creates the error for the violated rules. */
export function createEventsError(issues: readonly EventIssue[]): RequestValidationError {
  return new RequestValidationError(
    issues.slice(0, maxIssues).map(({ index, key, msg, type }) => ({ loc: ['body', 'events', index, key], msg, type })),
  )
}

/**
 * Determines organization and time of events. A missing time is now; up to 5 minutes ahead is stored as now.
 * @throws RequestValidationError with an issue for each event that breaks a rule
 */
export function resolveEvents(events: readonly UsageEventInput[], { caller, now }: { caller: Caller; now: Date }): ResolvedEvent[] {
  const issues: EventIssue[] = []
  const resolved = events.map((event, index): ResolvedEvent => {
    const time = event.timestamp ? Date.parse(event.timestamp) : now.getTime()
    if (time > now.getTime() + maxAheadMs)
      issues.push({ index, key: 'timestamp', msg: 'Must be at most 5 minutes ahead.', type: 'value_error' })
    return {
      organizationId: tryResolveOrganization(event, {
        caller,
        report: (msg, type) => issues.push({ index, key: 'organization_id', msg, type }),
      }),
      customerId: event.customer_id ?? null,
      externalCustomerId: event.external_customer_id ?? null,
      externalId: event.external_id ?? null,
      occurredAt: event.timestamp && time <= now.getTime() ? event.timestamp : now.toISOString(),
      name: event.name,
      metadata: JSON.stringify(event.metadata),
    }
  })
  if (issues.length > 0) throw createEventsError(issues)
  return resolved
}

function tryResolveOrganization(
  { organization_id }: UsageEventInput,
  { caller, report }: { caller: Caller; report: (msg: string, type: string) => void },
): string {
  try {
    return resolveOrganization(caller, organization_id)
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    for (const { msg, type } of error.issues) report(msg, type)
    return ''
  }
}
