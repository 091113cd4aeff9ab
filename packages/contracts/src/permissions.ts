import { eventStream, resetSubject, verifyEventsSubject, durableConsumers } from './streams.ts'
import { tokenRevoked } from './auth.ts'
import { customerSessionEnded } from './customer-sessions.ts'
import { customerDeleted } from './customers.ts'
import { events } from './registry.ts'
import { replyPrefix, type BusUser, type NatsUser } from './nats-users.ts'
import { busServiceNames, type BusServiceName } from './services.ts'

/** Subjects that a NATS user may publish and subscribe to, in the format of nats-server's configuration. */
export interface NatsPermissions {
  publish: string[]
  subscribe: string[]
}

/**
 * Accounts of nats-server. The stream has a separate account, because JetStream replies to any reply subject named by a client, even one
 * the client may not publish to: within one account a service could make the server delete the stream or write to it. Between accounts the
 * server replies to the requester only. Services can access the subjects in `streamImports`.
 */
export type NatsAccount = 'services' | 'stream'

/** Returns the account of a user. */
export function natsAccountFor(user: NatsUser): NatsAccount {
  return user === 'stream' || user === 'provisioner' ? 'stream' : 'services'
}

const { name: stream } = eventStream

/**
 * Rights of a consumer's owner: read its state, pull, acknowledge, and request its reset. Only the provisioner may create, change and
 * delete it.
 */
function consumerSubjects(service: BusServiceName): string[] {
  return durablesFor(service).flatMap((durable) => [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
    resetSubject(durable),
  ])
}

function durablesFor(service: BusServiceName): string[] {
  return Object.values(durableConsumers)
    .filter((subscription) => subscription.service === service)
    .map(({ durable }) => durable)
}

function replySubjectsFor(service: BusServiceName, requesters: readonly BusUser[]): string[] {
  return requesters.map((requester) => `${replyPrefix(requester, service)}.>`)
}

/**
 * Returns the rights of a user. They are the first line of defence; the second are the signatures of requests and events, see
 * `packages/runtime/src/bus`.
 */
export function natsPermissionsFor(user: NatsUser): NatsPermissions {
  const inbox = `_INBOX_${user}.>`
  switch (user) {
    case 'operator':
      return { publish: ['gateway.>', ...requestedServices.map((name) => `${name}.>`), '$SRV.>'], subscribe: [inbox] }
    case 'stream':
      return { publish: ['$JS.API.>', '$JS.ACK.>'], subscribe: [inbox, 'event.>'] }
    case 'gateway':
      return {
        publish: [...requestedServices.map((name) => `${name}.>`), ...replySubjectsFor('gateway', ['operator'])],
        subscribe: [inbox, tokenRevoked.subject, customerDeleted.subject, customerSessionEnded.subject, '$SRV.>'],
      }
    case 'provisioner':
      return { publish: provisionerSubjects(), subscribe: ['provisioner.>', '$SRV.>', inbox] }
    default:
      return {
        publish: [
          ...events.filter(({ publisher }) => publisher === user).map(({ subject }) => subject),
          '$JS.API.INFO',
          `$JS.API.STREAM.INFO.${stream}`,
          ...consumerSubjects(user),
          verifyEventsSubject,
          ...replySubjectsFor(user, ['gateway', 'operator']),
        ],
        subscribe: [`${user}.>`, '$SRV.>', inbox],
      }
  }
}

/** Services that reply to requests of the gateway. */
const requestedServices = busServiceNames.filter((name) => name !== 'gateway' && name !== 'provisioner')

function provisionerSubjects(): string[] {
  const consumers = Object.values(durableConsumers).flatMap(({ durable }) =>
    ['INFO', 'CREATE', 'DURABLE.CREATE', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.${durable}`),
  )
  return [
    ...['INFO', 'CREATE', 'UPDATE', 'MSG.GET'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
    ...consumers,
    ...Object.values(durableConsumers).map(({ durable }) => `$JS.API.CONSUMER.CREATE.${stream}.${durable}.>`),
    // Replies to requests of the other account.
    '_R_.>',
  ]
}

/** Subjects of the account `stream` that services may publish to, each within its own permissions. A pull has many replies. */
export const streamImports: readonly { subject: string; replies: 'one' | 'many' }[] = [
  { subject: '$JS.API.INFO', replies: 'one' },
  { subject: `$JS.API.STREAM.INFO.${stream}`, replies: 'one' },
  { subject: `$JS.API.CONSUMER.INFO.${stream}.*`, replies: 'one' },
  { subject: `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`, replies: 'many' },
  { subject: `$JS.ACK.${stream}.>`, replies: 'one' },
  ...eventStream.subjects.map((subject) => ({ subject, replies: 'one' as const })),
  { subject: resetSubject('*'), replies: 'one' },
  { subject: verifyEventsSubject, replies: 'one' },
]
