import type { Operation } from '@quittance/contracts/operation'
import { events, operations } from '@quittance/contracts/registry'
import type { ServiceName } from '@quittance/contracts/services'
import { durableConsumers } from '@quittance/contracts/streams'
import { markdownTable } from './markdown-table.ts'

/** Table of the operations of a service: subject, HTTP route, scopes, errors that it declares. Null if it has none. */
export function operationsTable(service: ServiceName): string | null {
  const own = operations.filter(({ subject }) => subject.startsWith(`${service}.`))
  if (own.length === 0) return null
  const rows = own.map(({ subject, http, errors, summary }) => {
    const route = http ? `\`${http.method} ${http.path}\`` : 'NATS only'
    const own = errors.map((error) => `\`${error.name}\``)
    return [`\`${subject}\``, summary, route, describeAccess(http), own.join(', ') || '–']
  })
  return markdownTable(['operation', 'summary', 'route', 'scope', 'errors'], rows)
}

/** Table of the events that a service publishes and consumes. Null if there are none. */
export function eventsTable(service: ServiceName): string | null {
  const published = events.filter(({ publisher }) => publisher === service)
  const consumed = Object.values(durableConsumers).filter((consumer) => consumer.service === service)
  const rows = [
    ...consumed.map(({ subject, durable }) => ['consumes', `\`${subject}\``, `durable consumer \`${durable}\``]),
    ...published.map(({ subject, summary, webhookType }) => [
      'publishes',
      `\`${subject}\``,
      `${summary}${webhookType ? '' : ' (internal)'}`,
    ]),
  ]
  return rows.length === 0 ? null : markdownTable(['', 'subject', 'meaning'], rows)
}

function describeAccess(http: Operation['http']): string {
  if (!http) return '–'
  if (http.scopes.length > 0) return http.scopes.map((scope) => `\`${scope}\``).join(' or ')
  return http.callers.includes('anonymous') ? 'none' : `any ${http.callers.join(' or ')}`
}
