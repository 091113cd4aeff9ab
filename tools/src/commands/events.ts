import { events as allEvents } from '@quittance/contracts/registry'
import { readEvents, type LoggedEvent } from '@quittance/runtime/event-log'
import { connectNats } from '@quittance/runtime/nats'
import { onStopSignals } from '../supervisor/stop-signals.ts'
import { readArguments } from './arguments.ts'
import { UsageError, type Command } from './command.ts'
import { readCount, readMoment } from './moment.ts'
import { natsUrl, whereHelp, whereOptions } from './operator-options.ts'

export const events: Command = {
  name: 'events',
  summary: 'List the events that were told, and those that follow.',
  help: `Usage: npm run quittance -- events [options]

One JSON object per line: sequence, time, id, subject, organization, trace. The stream keeps seven days.

  --last N             the last N events of any kind (default 20)
  --since TIME         all since a time: 2026-11-22T03:00:00Z, or 15m, 2h, 1d ago
  --type TYPE          only this one: a webhook type (order.paid) or a subject (event.order.*)
  --organization ID    only what concerns this organization
  --payload            with what was said
  --follow             and what is told from now on, until Ctrl-C
${whereHelp}

Example: npm run --silent quittance -- events --since 15m --type order.paid --payload`,
  run,
}

async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const table = { ...whereOptions, last: text, since: text, type: text, organization: text, payload: flag, follow: flag }
  const options = readArguments(args, table)
  if (options.last && options.since) throw new UsageError('Either --last or --since.')
  const from = options.since
    ? { since: readMoment('--since', { text: options.since, now: new Date() }) }
    : { last: readCount('--last', { text: options.last ?? '20', most: 1_000_000 }) }
  const wanted = ({ organization_id }: LoggedEvent) => !options.organization || organization_id === options.organization
  const connection = await connectNats({ name: 'operator', url: natsUrl(options) })
  const end = new AbortController()
  if (options.follow) onStopSignals(async () => (end.abort(), 0))
  try {
    for await (const event of readEvents(connection, {
      subject: subjectOf(options.type),
      from,
      follow: options.follow ? end.signal : null,
    })) {
      const { payload, ...facts } = event
      if (wanted(event)) console.log(JSON.stringify(options.payload ? { ...facts, payload } : facts))
    }
  } finally {
    await connection.close()
  }
}

/** As people name it. */
function subjectOf(type: string | undefined): string {
  if (type === undefined) return 'event.>'
  if (type.startsWith('event.')) return type
  const known = allEvents.find(({ webhookType }) => webhookType === type)
  if (!known) throw new UsageError(`--type: there is no event ${type}. docs/events.md lists them.`)
  return known.subject
}
