import type { NatsUser } from './nats-users.ts'
import { natsPermissionsFor, type NatsPermissions } from './permissions.ts'
import { busServiceNames } from './services.ts'
import { eventStream, durableConsumers } from './streams.ts'

/**
 * Rights of a user while replicas of release 0.1.0 still run: the current ones and those of that release, in one account. Services of 0.1.0
 * create the stream and their consumers themselves, and expect replies in an inbox that does not name the owner. Until the update ends with
 * the rights of `natsPermissionsFor`, a stolen credential grants more.
 */
export function transitionalPermissionsFor(user: NatsUser): NatsPermissions {
  const { publish, subscribe } = natsPermissionsFor(user)
  if (user === 'gateway') return { publish: [...publish, ...legacyInboxes], subscribe }
  if (user === 'operator') return { publish: [...publish, '$JS.API.>'], subscribe: [...subscribe, 'event.>'] }
  if (user === 'stream') return { publish, subscribe }
  if (user === 'provisioner') return { publish: [...publish, ...owners.map((owner) => `_INBOX_${owner}.provisioner.>`)], subscribe }
  const { name } = eventStream
  const stream = ['CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${name}`)
  const consumers = Object.values(durableConsumers)
    .filter(({ service }) => service === user)
    .flatMap(({ durable }) => [
      ...['DURABLE.CREATE', 'CREATE', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${name}.${durable}`),
      `$JS.API.CONSUMER.CREATE.${name}.${durable}.>`,
    ])
  return { publish: [...publish, ...stream, ...consumers, ...legacyInboxes], subscribe }
}

const legacyInboxes = ['_INBOX_gateway.>', '_INBOX_operator.>']
/** Services that send requests to the provisioner. */
const owners = busServiceNames.filter((name) => name !== 'gateway' && name !== 'provisioner')
