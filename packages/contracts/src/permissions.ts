import { eventStream, subscriptions } from './streams.ts'
import { tokenRevoked } from './auth.ts'
import { customerDeleted } from './customers.ts'
import { events } from './registry.ts'
import { serviceNames, type ServiceName } from './services.ts'

/** What a NATS user may publish and hear, as nats-server's configuration wants it. */
export interface NatsPermissions {
  publish: string[]
  subscribe: string[]
}

/** NATS users: one per service, and the operator for `quittance …` commands. */
export type NatsUser = ServiceName | 'operator'
export const natsUsers: readonly NatsUser[] = [...serviceNames, 'operator']

const { name: stream } = eventStream

function consumerSubjects(service: ServiceName): string[] {
  return Object.values(subscriptions)
    .filter((subscription) => subscription.service === service)
    .flatMap(({ durable }) => [
      `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
      `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
      `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`,
      `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
      `$JS.ACK.${stream}.${durable}.>`,
    ])
}

/**
 * Where answers go. Named instead of nats-server's `allow_responses`: that remembers every message with a reply subject for two minutes, those of
 * JetStream too, and walks through all of them at each new one; a consumer then costs the server more the faster it is. Subjects of inboxes cannot be guessed.
 */
const askers = ['_INBOX_gateway.>', '_INBOX_operator.>']

/**
 * The rights of a user. Only the gateway and the operator may publish on request subjects, so a service can believe the
 * `caller` header; only the owner may tell an event; every user reads replies in its own inbox alone.
 */
export function permissionsOf(user: NatsUser): NatsPermissions {
  const inbox = `_INBOX_${user}.>`
  if (user === 'operator') {
    return { publish: [...serviceNames.map((name) => `${name}.>`), '$SRV.>', '$JS.API.>'], subscribe: [inbox, 'event.>'] }
  }
  if (user === 'gateway') {
    return {
      publish: [...serviceNames.filter((name) => name !== 'gateway').map((name) => `${name}.>`), ...askers],
      subscribe: [inbox, tokenRevoked.subject, customerDeleted.subject, '$SRV.>'],
    }
  }
  return {
    publish: [
      ...events.filter(({ publisher }) => publisher === user).map(({ subject }) => subject),
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.STREAM.CREATE.${stream}`,
      `$JS.API.STREAM.UPDATE.${stream}`,
      '$JS.API.INFO',
      ...consumerSubjects(user),
      ...askers,
    ],
    subscribe: [`${user}.>`, '$SRV.>', inbox],
  }
}
