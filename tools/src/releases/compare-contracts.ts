import { compareSchemas, type Difference, type SchemaSide } from './compare-schemas.ts'
import { compareHttp } from './compare-http.ts'
import type { ContractSnapshot, EventSnapshot, OperationSnapshot } from './contract-snapshot.ts'

/** Effects of a change on replicas and clients of an earlier release. */
export interface Compatibility {
  /** One sentence per break: what breaks, for whom, and why. */
  breaks: string[]
  /** Harmless changes that deserve a line in the change history. */
  notices: string[]
}

/** A supported release, and the contracts of today. */
export interface Comparison {
  /** Version of the release. */
  version: string
  released: ContractSnapshot
  now: ContractSnapshot
}

/**
 * Checks whether today's services can run beside those of a release. Today's services read public requests; clients and consumers of the
 * release read replies and events. Messages between our services are checked in both directions, because a replica of either version may be
 * on either end.
 */
export function compareContracts(comparison: Comparison): Compatibility {
  const { released, now } = comparison
  const result: Compatibility = { breaks: [], notices: [] }
  for (const [subject, operation] of Object.entries(released.operations)) compareOperation(subject, operation, { ...comparison, result })
  for (const [subject, event] of Object.entries(released.events)) compareEvent(subject, event, { ...comparison, result })
  compareDurables(comparison, result)
  for (const [what, name] of Object.entries(released.headers)) {
    if (now.headers[what] === name) continue
    result.breaks.push(`The header “${name}” (${what}) is removed or renamed: services of ${comparison.version} send and read it.`)
  }
  return result
}

type OperationComparison = Comparison & { result: Compatibility }

function compareOperation(subject: string, before: OperationSnapshot, { version, released, now, result }: OperationComparison): void {
  const owner = subject.split('.')[0] as string
  const after = now.operations[subject]
  const head = before.http ? `${subject} (${before.http.method} ${before.http.path})` : subject
  if (!after) {
    const successor = Object.entries(now.operations).find(
      ([, { http }]) => http && before.http && http.path === before.http.path && http.method === before.http.method,
    )
    result.breaks.push(
      successor
        ? `${head} has moved to the subject ${successor[0]}: a gateway of ${version} calls the old one, which has no responders.`
        : `${head} is removed: callers of ${version} still call it.`,
    )
    return
  }
  result.breaks.push(...compareHttp(before.http, after.http, version).map((sentence) => `${head}: ${sentence}`))
  compareErrors(head, { before, after, version, result })
  const sides = { before: released.schemas, now: now.schemas }
  const [request, requestNow] = [side(before.request, sides.before.input), side(after.request, sides.now.input)]
  const [reply, replyNow] = [side(before.reply, sides.before.output), side(after.reply, sides.now.output)]
  const callers = `callers of ${version}`
  const addBreaks = (found: Difference[], context: Omit<SentenceContext, 'head'>) =>
    result.breaks.push(...found.map((each) => sentence(each, { head, ...context })))
  addBreaks(compareSchemas(request, requestNow), { part: 'request', writer: callers, reader: `today’s ${owner}` })
  addBreaks(withoutIgnorable(compareSchemas(replyNow, reply)), { part: 'reply', writer: `today’s ${owner}`, reader: callers })
  if (before.http) return
  addBreaks(withoutIgnorable(compareSchemas(requestNow, request)), {
    part: 'request',
    writer: 'today’s callers',
    reader: `${owner} of ${version}`,
  })
  addBreaks(withoutIgnorable(compareSchemas(reply, replyNow)), {
    part: 'reply',
    writer: `${owner} of ${version}`,
    reader: 'today’s callers',
  })
}

function compareErrors(
  head: string,
  {
    before,
    after,
    version,
    result,
  }: Pick<OperationComparison, 'version' | 'result'> & { before: OperationSnapshot; after: OperationSnapshot },
): void {
  for (const [name, status] of Object.entries(after.errors)) {
    const earlier = before.errors[name]
    if (earlier === undefined)
      result.notices.push(`${head} can return ${name} (${status}) now; callers of ${version} have no case for this error.`)
    else if (earlier !== status) {
      result.breaks.push(`${head}: ${name} was a ${earlier} and is a ${status} now; callers of ${version} distinguish errors by status.`)
    }
  }
}

function compareEvent(subject: string, before: EventSnapshot, { version, released, now, result }: OperationComparison): void {
  const after = now.events[subject]
  const head = before.webhookType ? `${subject} (webhook ${before.webhookType})` : subject
  if (!after) return void result.breaks.push(`${head} is removed: consumers of ${version} wait for it.`)
  if (after.publisher !== before.publisher) {
    result.breaks.push(
      `${head} is published by ${after.publisher} instead of ${before.publisher} now: NATS would reject ${before.publisher} of ${version}.`,
    )
  }
  if (before.webhookType && after.webhookType !== before.webhookType) {
    result.breaks.push(
      `${head} is ${after.webhookType ?? 'no webhook'} now: endpoints subscribed to ${before.webhookType} no longer receive it.`,
    )
  }
  const [payload, payloadNow] = [side(before.payload, released.schemas.output), side(after.payload, now.schemas.output)]
  const consumers = before.webhookType ? `consumers and webhook endpoints of ${version}` : `consumers of ${version}`
  const addBreaks = (found: Difference[], context: Omit<SentenceContext, 'head' | 'part'>) =>
    result.breaks.push(...found.map((each) => sentence(each, { head, part: 'payload', ...context })))
  addBreaks(withoutIgnorable(compareSchemas(payloadNow, payload)), { writer: `today’s ${after.publisher}`, reader: consumers })
  // Payloads for endpoints are forwarded unchanged; none of our services reads a new key.
  if (before.webhookType) return
  addBreaks(withoutIgnorable(compareSchemas(payload, payloadNow)), {
    writer: `${before.publisher} of ${version}, and the stream for seven days,`,
    reader: 'today’s consumers',
  })
}

function compareDurables({ version, released, now }: Comparison, { breaks, notices }: Compatibility): void {
  for (const [durable, { service, subject }] of Object.entries(released.subscriptions)) {
    const after = now.subscriptions[durable]
    if (after?.subject === subject && after.service === service) continue
    const successor = Object.entries(now.subscriptions).find(
      ([name, each]) => !released.subscriptions[name] && each.service === service && each.subject === subject,
    )
    if (after)
      breaks.push(
        `The durable ${durable} consumes ${after.subject} instead of ${subject} now: the server keeps the filter it was created with.`,
      )
    else if (successor)
      breaks.push(
        `The durable ${durable} is called ${successor[0]} now: under the new name ${service} consumes seven days of events again.`,
      )
    else notices.push(`The durable ${durable} is removed; delete it on the server when no ${service} of ${version} runs any more.`)
  }
}

const side = (schema: SchemaSide['schema'], named: SchemaSide['named']): SchemaSide => ({ schema, named })

/** Drops differences that do not matter in replies and events: a reader ignores unknown keys, and defaults have no effect. */
function withoutIgnorable(found: Difference[]): Difference[] {
  return found.filter(({ kind }) => kind !== 'unread' && kind !== 'default')
}

interface SentenceContext {
  head: string
  part: 'request' | 'reply' | 'payload'
  writer: string
  reader: string
}

function sentence({ path, kind, writer: sent, reader: taken }: Difference, { head, part, writer, reader }: SentenceContext): string {
  const what = path ? `“${path}” of the ${part}` : `the ${part}`
  switch (kind) {
    case 'missing':
      return `${head}: ${what} is required by ${reader}, and ${writer} do not send it.`
    case 'optional':
      return `${head}: ${what} is required by ${reader}, and ${writer} may omit it.`
    case 'unread':
      return `${head}: ${what} is sent by ${writer}, and ${reader} would ignore it.`
    case 'default':
      return `${head}: ${what} means ${taken} when it is omitted, and ${writer} mean ${sent} by that.`
    case 'value':
      return `${head}: ${what} may be ${sent} from ${writer}, and ${reader} take only ${taken}.`
  }
}
