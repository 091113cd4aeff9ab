import { eventOrders } from '@quittance/contracts/event-order'
import { events } from '@quittance/contracts/registry'
import { eventStream, subscriptions } from '@quittance/contracts/streams'

/** `docs/events.md`: who tells what, when, and who hears it. */
export function eventsPage(): string {
  const isPublic = events.filter((event) => event.webhookType !== null)
  const internal = events.filter((event) => event.webhookType === null)
  return `# Events

Generated from \`packages/contracts\` by \`npm run generate\`.

Every event is recorded in its owner's transaction, told through the stream \`${eventStream.name}\` at least once, and handled once per
listener. Events of one aggregate keep their order; between aggregates there is none.

## Sent to webhook endpoints

The body is \`{ "type", "timestamp", "data" }\`; \`data\` is the resource as the API answers it at that moment. A generated invoice is told by
\`order.updated\` with \`is_invoice_generated: true\`. An endpoint asks for single types, for all of a resource (\`order.*\`), or for all (\`*\`).

| type | sent when | subject | told by |
|---|---|---|---|
${isPublic.map((event) => `| \`${event.webhookType}\` | ${event.summary} | \`${event.subject}\` | ${event.publisher} |`).join('\n')}

### In which order

First tries go out in this order, at least once; a try that fails is made again later and holds up no other. \`customer.state_changed\` follows
where what a customer has changed.

| when | events |
|---|---|
${eventOrders.map(({ when, types }) => `| ${when} | ${types.map((type) => `\`${type}\``).join(', ')} |`).join('\n')}

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
