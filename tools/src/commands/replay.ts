import { deadLetterOperations } from '@quittance/contracts/dead-letters'
import { durableConsumers } from '@quittance/contracts/streams'
import { resetDurable } from '@quittance/runtime/internal/messaging/event-reader'
import { connectNats } from '@quittance/runtime/nats-connection'
import { readArguments, required } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'
import { parseTime } from './parse-time.ts'
import { request, streamUrl, targetHelp, targetOptions } from './target-options.ts'

/** Thousands of dead letters take minutes. */
const replayTimeoutMs = 600_000

type ConsumingService = keyof typeof deadLetterOperations

export const replay: Command = {
  name: 'replay',
  summary: 'Replay the dead letters of a service, or all events since a time.',
  help: `Usage: npm run quittance -- replay --service NAME (--dead-letters | --since TIME) [options]

Both are safe: the inbox of the service drops events that it has already handled.

  --service NAME       orders, invoices, webhooks, mail or usage
  --dead-letters       the service's dead letters, oldest first; handled ones are removed, the others stay with their new reason
  --id ID              only this dead letter; may be given several times
  --since TIME         every event since then: 2026-11-22T03:00:00Z, or 15m, 2h, 1d ago; for a database that was restored
${targetHelp};
                       with --since the credentials of the user stream

Example: npm run quittance -- replay --service webhooks --since 2h`,
  run,
}

async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const table = {
    ...targetOptions,
    service: text,
    since: text,
    'dead-letters': { type: 'boolean' },
    id: { ...text, multiple: true },
  } as const
  const options = readArguments(args, table)
  const service = parseConsumer(required('--service', options.service))
  const ids = options.id ?? null
  const isDeadLetterReplay = options['dead-letters'] === true || ids !== null
  if (isDeadLetterReplay === (options.since !== undefined)) throw new UsageError('Use either --dead-letters or --since.')
  if (options.since === undefined) {
    const reply = await request(options, (operator) =>
      operator.call(deadLetterOperations[service].replay, { ids }, { timeoutMs: replayTimeoutMs }),
    )
    console.log(JSON.stringify(reply, null, 2))
    const found = new Set([...reply.handled, ...reply.failed.map(({ id }) => id)])
    const unknown = ids?.filter((id) => !found.has(id)) ?? []
    for (const id of unknown) console.error(`${service} has no dead letter ${id}.`)
    if (reply.failed.length > 0 || unknown.length > 0) process.exitCode = 1
    return
  }
  const since = parseTime('--since', { text: options.since, now: new Date() })
  await resetConsumers(streamUrl(options), { service, since })
}

async function resetConsumers(url: string, { service, since }: { service: ConsumingService; since: Date }): Promise<void> {
  const connection = await connectNats({ name: 'stream', url, waitsForServer: false })
  try {
    for (const { durable } of Object.values(durableConsumers).filter((subscription) => subscription.service === service)) {
      const count = await resetDurable(connection, { durable, since })
      console.log(`${durable}: ${count} events since ${since.toISOString()} are replayed`)
    }
  } finally {
    await connection.close()
  }
}

function parseConsumer(name: string): ConsumingService {
  if (Object.hasOwn(deadLetterOperations, name)) return name as ConsumingService
  throw new UsageError(`--service must be one of ${Object.keys(deadLetterOperations).join(', ')}; ${name} consumes no events.`)
}
