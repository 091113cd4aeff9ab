import { compareSchemas, type Difference, type Side } from './compare-schemas.ts'
import { compareHttp } from './compare-http.ts'
import type { ContractSnapshot, EventSnapshot, OperationSnapshot } from './contract-snapshot.ts'

/** What a change does to those who still run, or still call, an earlier release. */
export interface Verdict {
  /** Sentences: what breaks, whom, and why. */
  breaks: string[]
  /** Worth a line in the change history, and harmless. */
  told: string[]
}

/** A release that may still be met, and the contracts of today. */
export interface Comparison {
  /** Version of the release. */
  version: string
  released: ContractSnapshot
  now: ContractSnapshot
}

/**
 * Whether today's services may stand beside those of a release. Public requests are read by today's services, answers and events by
 * those of then. What our own services say among themselves goes both ways, because a replica of either version may be on either end.
 */
export function compareContracts(comparison: Comparison): Verdict {
  const { released, now } = comparison
  const verdict: Verdict = { breaks: [], told: [] }
  for (const [subject, operation] of Object.entries(released.operations)) compareOperation(subject, operation, { ...comparison, verdict })
  for (const [subject, event] of Object.entries(released.events)) compareEvent(subject, event, { ...comparison, verdict })
  compareSubscriptions(comparison, verdict)
  for (const [what, name] of Object.entries(released.headers)) {
    if (now.headers[what] === name) continue
    verdict.breaks.push(`The header “${name}” (${what}) is gone or renamed: services of ${comparison.version} send it and look for it.`)
  }
  return verdict
}

type Weighing = Comparison & { verdict: Verdict }

function compareOperation(subject: string, before: OperationSnapshot, { version, released, now, verdict }: Weighing): void {
  const owner = subject.split('.')[0] as string
  const after = now.operations[subject]
  const head = before.http ? `${subject} (${before.http.method} ${before.http.path})` : subject
  if (!after) {
    const heir = Object.entries(now.operations).find(
      ([, { http }]) => http && before.http && http.path === before.http.path && http.method === before.http.method,
    )
    verdict.breaks.push(
      heir
        ? `${head} answers under the subject ${heir[0]} now: a gateway of ${version} asks under the old one, where nobody listens.`
        : `${head} is gone: callers of ${version} still ask for it.`,
    )
    return
  }
  verdict.breaks.push(...compareHttp(before.http, after.http, version).map((sentence) => `${head}: ${sentence}`))
  compareErrors(head, { before, after, version, verdict })
  const sides = { before: released.schemas, now: now.schemas }
  const [asked, askedNow] = [side(before.request, sides.before.input), side(after.request, sides.now.input)]
  const [answered, answeredNow] = [side(before.reply, sides.before.output), side(after.reply, sides.now.output)]
  const callers = `callers of ${version}`
  const tell = (found: Difference[], scene: Omit<Scene, 'head'>) =>
    verdict.breaks.push(...found.map((each) => sentence(each, { head, ...scene })))
  tell(compareSchemas(asked, askedNow), { part: 'request', writer: callers, reader: `today’s ${owner}` })
  tell(withoutTaste(compareSchemas(answeredNow, answered)), { part: 'reply', writer: `today’s ${owner}`, reader: callers })
  if (before.http) return
  tell(withoutTaste(compareSchemas(askedNow, asked)), { part: 'request', writer: 'today’s callers', reader: `${owner} of ${version}` })
  tell(withoutTaste(compareSchemas(answered, answeredNow)), { part: 'reply', writer: `${owner} of ${version}`, reader: 'today’s callers' })
}

function compareErrors(
  head: string,
  { before, after, version, verdict }: Pick<Weighing, 'version' | 'verdict'> & { before: OperationSnapshot; after: OperationSnapshot },
): void {
  for (const [name, status] of Object.entries(after.errors)) {
    const earlier = before.errors[name]
    if (earlier === undefined)
      verdict.told.push(`${head} can answer ${name} (${status}) now; callers of ${version} see an error they have no case for.`)
    else if (earlier !== status) {
      verdict.breaks.push(
        `${head}: ${name} was a ${earlier} and is a ${status} now; callers of ${version} tell errors apart by their status.`,
      )
    }
  }
}

function compareEvent(subject: string, before: EventSnapshot, { version, released, now, verdict }: Weighing): void {
  const after = now.events[subject]
  const head = before.webhookType ? `${subject} (webhook ${before.webhookType})` : subject
  if (!after) return void verdict.breaks.push(`${head} is gone: listeners of ${version} wait for it.`)
  if (after.publisher !== before.publisher) {
    verdict.breaks.push(
      `${head} is told by ${after.publisher} instead of ${before.publisher} now: NATS would refuse ${before.publisher} of ${version}.`,
    )
  }
  if (before.webhookType && after.webhookType !== before.webhookType) {
    verdict.breaks.push(
      `${head} is ${after.webhookType ?? 'no webhook'} now: endpoints that asked for ${before.webhookType} hear nothing more.`,
    )
  }
  const [said, saidNow] = [side(before.payload, released.schemas.output), side(after.payload, now.schemas.output)]
  const listeners = before.webhookType ? `listeners and webhook endpoints of ${version}` : `listeners of ${version}`
  const tell = (found: Difference[], scene: Omit<Scene, 'head' | 'part'>) =>
    verdict.breaks.push(...found.map((each) => sentence(each, { head, part: 'payload', ...scene })))
  tell(withoutTaste(compareSchemas(saidNow, said)), { writer: `today’s ${after.publisher}`, reader: listeners })
  // What endpoints are sent is passed on letter for letter; nobody of ours reads a key that is new.
  if (before.webhookType) return
  tell(withoutTaste(compareSchemas(said, saidNow)), {
    writer: `${before.publisher} of ${version}, and the stream for seven days,`,
    reader: 'today’s listeners',
  })
}

function compareSubscriptions({ version, released, now }: Comparison, { breaks, told }: Verdict): void {
  for (const [durable, { service, subject }] of Object.entries(released.subscriptions)) {
    const after = now.subscriptions[durable]
    if (after?.subject === subject && after.service === service) continue
    const heir = Object.entries(now.subscriptions).find(
      ([name, each]) => !released.subscriptions[name] && each.service === service && each.subject === subject,
    )
    if (after)
      breaks.push(`The durable ${durable} hears ${after.subject} instead of ${subject} now: the server keeps the filter it was made with.`)
    else if (heir)
      breaks.push(`The durable ${durable} is called ${heir[0]} now: under a new name ${service} hears and does seven days again.`)
    else told.push(`The durable ${durable} is gone; delete it on the server when no ${service} of ${version} runs any more.`)
  }
}

const side = (schema: Side['schema'], named: Side['named']): Side => ({ schema, named })

/** In answers and events a reader passes over what it does not know, and a default means nothing. */
function withoutTaste(found: Difference[]): Difference[] {
  return found.filter(({ kind }) => kind !== 'unread' && kind !== 'default')
}

interface Scene {
  head: string
  part: 'request' | 'reply' | 'payload'
  writer: string
  reader: string
}

function sentence({ path, kind, writer: sent, reader: taken }: Difference, { head, part, writer, reader }: Scene): string {
  const what = path ? `“${path}” of the ${part}` : `the ${part}`
  switch (kind) {
    case 'missing':
      return `${head}: ${what} is needed by ${reader}, and ${writer} do not send it.`
    case 'optional':
      return `${head}: ${what} is needed by ${reader}, and ${writer} may leave it out.`
    case 'unread':
      return `${head}: ${what} is sent by ${writer}, and ${reader} would pass over it in silence.`
    case 'default':
      return `${head}: ${what} means ${taken} when it is left out, and ${writer} mean ${sent} by that.`
    case 'value':
      return `${head}: ${what} may be ${sent} from ${writer}, and ${reader} take only ${taken}.`
  }
}
