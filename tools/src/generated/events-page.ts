import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Event } from '@quittance/contracts/event'
import { eventStream, subscriptions } from '@quittance/contracts/streams'

const contracts = join(import.meta.dirname, '../../../packages/contracts/src')

/** Every event of the contracts, in the order of their files. */
async function allEvents(): Promise<Event[]> {
  const modules = await Promise.all(
    readdirSync(contracts)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .toSorted()
      .map((file) => import(join(contracts, file)) as Promise<Record<string, unknown>>),
  )
  return modules.flatMap((module) => Object.values(module).filter(isEvent))
}

const events = await allEvents()

/** `docs/events.md`: who tells what, when, and who hears it. */
export function eventsPage(): string {
  const isPublic = events.filter((event) => event.webhookType !== null)
  const internal = events.filter((event) => event.webhookType === null)
  return `# Events

Generated from \`packages/contracts\` by \`npm run generate\`.

Every event is recorded in its owner's transaction, told through the stream \`${eventStream.name}\` at least once, and handled once per
listener. Events of one aggregate keep their order; between aggregates there is none.

## Sent to webhook endpoints

The body is \`{ "type", "timestamp", "data" }\`; \`data\` is the resource as the API answers it at that moment. For one sale the order is
\`order.created\`, then \`order.updated\` and \`order.paid\` when the payment completes; a generated invoice is told by \`order.updated\`
with \`is_invoice_generated: true\`.

| type | sent when | subject | told by |
|---|---|---|---|
${isPublic.map((event) => `| \`${event.webhookType}\` | ${event.summary} | \`${event.subject}\` | ${event.publisher} |`).join('\n')}

## Between services

| subject | told when | told by |
|---|---|---|
${internal.map((event) => `| \`${event.subject}\` | ${event.summary} | ${event.publisher} |`).join('\n')}

## Listeners

| durable | service | subject |
|---|---|---|
${Object.values(subscriptions)
  .map(({ durable, service, subject }) => `| \`${durable}\` | ${service} | \`${subject}\` |`)
  .join('\n')}
`
}

function isEvent(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && 'webhookType' in value && 'publisher' in value
}
