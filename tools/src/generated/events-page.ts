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
