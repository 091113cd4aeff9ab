import { eventSequences } from '@quittance/contracts/event-sequences'
import { events } from '@quittance/contracts/registry'
import { eventStream, durableConsumers } from '@quittance/contracts/streams'

/** Returns `docs/events.md`: which service publishes each event, when, and which services consume it. */
export function eventsPage(): string {
  const isPublic = events.filter((event) => event.webhookType !== null)
  const internal = events.filter((event) => event.webhookType === null)
  return `# Events

Generated from \`packages/contracts\` by \`npm run generate\`.

Every event is recorded in its owner's transaction, published through the stream \`${eventStream.name}\` at least once, and handled once per
consumer. Events of one aggregate keep their order; there is no order between aggregates.

## Sent to webhook endpoints

The body is \`{ "type", "timestamp", "data" }\`; \`data\` is the resource as the API returns it at that moment; in a body above 256 KiB it
is only its \`id\`. A generated invoice is reported by
\`order.updated\` with \`is_invoice_generated: true\`. An endpoint subscribes to single types, to all of a resource (\`order.*\`), or to all (\`*\`).

| type | sent when | subject | published by |
|---|---|---|---|
${isPublic.map((event) => `| \`${event.webhookType}\` | ${event.summary} | \`${event.subject}\` | ${event.publisher} |`).join('\n')}

### Order of events

First attempts are sent in this order, at least once; a failed attempt is retried later and delays no other delivery. If the state of a
customer has changed, \`customer.state_changed\` follows the events of the customer, their subscriptions and their benefits.

| when | events |
|---|---|
${eventSequences.map(({ when, types }) => `| ${when} | ${types.map((type) => `\`${type}\``).join(', ')} |`).join('\n')}

## Between services

| subject | published when | published by |
|---|---|---|
${internal.map((event) => `| \`${event.subject}\` | ${event.summary} | ${event.publisher} |`).join('\n')}

## Durable consumers

| durable | service | subject |
|---|---|---|
${Object.values(durableConsumers)
  .map(({ durable, service, subject }) => `| \`${durable}\` | ${service} | \`${subject}\` |`)
  .join('\n')}
`
}
