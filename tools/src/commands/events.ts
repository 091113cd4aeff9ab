import { events as allEvents } from '@quittance/contracts/registry'
import { readEvents, type StoredEvent } from '@quittance/runtime/internal/messaging/event-reader'
import { connectNats } from '@quittance/runtime/nats-connection'
import { handleStopSignals } from '../supervisor/stop-signals.ts'
import { parseId, readArguments } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'
import { parseCount, parseTime } from './parse-time.ts'
import { streamHelp, streamUrl, targetOptions } from './target-options.ts'

export const events: Command = {
  name: 'events',
  summary: 'List published events, and optionally follow new ones.',
  help: `Usage: npm run quittance -- events [options]

One JSON object per line: sequence, time, id, subject, organization, trace. The stream retains seven days.

  --last N             the last N events of any kind (default 20)
  --since TIME         all since a time: 2026-11-22T03:00:00Z, or 15m, 2h, 1d ago
  --type TYPE          only this one: a webhook type (order.paid) or a subject (event.order.*)
  --organization ID    only events of this organization
  --payload            include the payload
  --follow             also print new events, until Ctrl-C
${streamHelp}

Example: npm run --silent quittance -- events --since 15m --type order.paid --payload`,
  run,
}

async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const table = { ...targetOptions, last: text, since: text, type: text, organization: text, payload: flag, follow: flag }
  const options = readArguments(args, table)
  if (options.last && options.since) throw new UsageError('Use either --last or --since.')
  const from = options.since
    ? { since: parseTime('--since', { text: options.since, now: new Date() }) }
    : { last: parseCount('--last', { text: options.last ?? '20', max: 1_000_000 }) }
  const organization = options.organization === undefined ? null : parseId('--organization', options.organization)
  const wanted = ({ organization_id }: StoredEvent) => organization === null || organization_id === organization
  const connection = await connectNats({ name: 'stream', url: streamUrl(options), waitsForServer: false })
  const end = new AbortController()
  // `print` reports it.
  process.stdout.on('error', () => {})
  if (options.follow) handleStopSignals(async () => (end.abort(), 0))
  try {
    for await (const event of readEvents(connection, {
      subject: resolveSubject(options.type),
      from,
      follow: options.follow ? end.signal : null,
    })) {
      const { payload, ...facts } = event
      if (!wanted(event)) continue
      // `events | head` ends with its reader.
      if (!(await print(JSON.stringify(options.payload ? { ...facts, payload } : facts)))) break
    }
  } finally {
    await connection.close()
  }
}

/** Resolves when the line is written, so a slow reader slows the reading of the stream. Returns false if there is no reader any more. */
function print(line: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(`${line}\n`, (error) => resolve(!error)))
}

/** NATS does not reply to a filter that is no subject. */
const subjectPattern = /^event(\.([\w-]+|\*))*\.([\w-]+|\*|>)$/

/** Returns the subject of a webhook type; subjects stay as they are. */
function resolveSubject(type: string | undefined): string {
  if (type === undefined) return 'event.>'
  if (subjectPattern.test(type)) return type
  const known = allEvents.find(({ webhookType }) => webhookType === type)
  if (!known) throw new UsageError(`--type: there is no event ${type}. docs/events.md lists them.`)
  return known.subject
}
