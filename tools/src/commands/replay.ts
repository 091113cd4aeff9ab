import { deadLetterOperations } from '@quittance/contracts/dead-letters'
import { subscriptions } from '@quittance/contracts/streams'
import { rewindDurable } from '@quittance/runtime/event-log'
import { connectNats } from '@quittance/runtime/nats'
import { withOperator } from '../operator.ts'
import { readArguments, required } from './arguments.ts'
import { UsageError, type Command } from './command.ts'
import { readMoment } from './moment.ts'
import { natsUrl, whereHelp, whereOptions } from './operator-options.ts'

type Listener = keyof typeof deadLetterOperations

export const replay: Command = {
  name: 'replay',
  summary: 'Let a service handle again what it could not, or hear again what it missed.',
  help: `Usage: npm run quittance -- replay --service NAME (--dead-letters | --since TIME) [options]

Both are harmless: what the service has handled, its inbox drops.

  --service NAME       orders, invoices or webhooks
  --dead-letters       the service's dead letters, oldest first; each that works is one no more, the others keep their new reason
  --id ID              only this dead letter; may be given several times
  --since TIME         every event since then: 2026-11-22T03:00:00Z, or 15m, 2h, 1d ago; for a database that was restored
${whereHelp}

Example: npm run quittance -- replay --service webhooks --since 2h`,
  run,
}

async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const table = {
    ...whereOptions,
    service: text,
    since: text,
    'dead-letters': { type: 'boolean' },
    id: { ...text, multiple: true },
  } as const
  const options = readArguments(args, table)
  const service = listenerOf(required('--service', options.service))
  const ids = options.id ?? null
  const asksForLetters = options['dead-letters'] === true || ids !== null
  if (asksForLetters === (options.since !== undefined)) throw new UsageError('Either --dead-letters or --since.')
  if (options.since === undefined) {
    const answer = await withOperator(natsUrl(options), (operator) => operator.ask(deadLetterOperations[service].replay, { ids }))
    console.log(JSON.stringify(answer, null, 2))
    if (answer.failed.length > 0) process.exitCode = 1
    return
  }
  const since = readMoment('--since', { text: options.since, now: new Date() })
  await rewind(natsUrl(options), { service, since })
}

async function rewind(url: string, { service, since }: { service: Listener; since: Date }): Promise<void> {
  const connection = await connectNats({ name: 'operator', url })
  try {
    for (const { durable } of Object.values(subscriptions).filter((subscription) => subscription.service === service)) {
      const count = await rewindDurable(connection, { durable, since })
      console.log(`${durable}: ${count} events since ${since.toISOString()} come again`)
    }
  } finally {
    await connection.close()
  }
}

function listenerOf(name: string): Listener {
  if (name in deadLetterOperations) return name as Listener
  throw new UsageError(`--service is ${Object.keys(deadLetterOperations).join(', ')}; ${name} hears no events.`)
}
