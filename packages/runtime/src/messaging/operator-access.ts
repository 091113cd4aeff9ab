import type { NatsConnection } from 'nats'
import { connectNats } from '../nats/nats-connection.ts'
import { createBusIdentity, parseBusSeeds, parsePublicBusKeys } from '../bus/identity.ts'

/** Access data of the operator's tools, which authenticate as the operator with the operator's key. */
export interface OperatorAccess {
  /** NATS URL with the user and password of the operator. */
  natsUrl: string
  /** As in `BUS_KEY`. */
  busKey: string
  /** As in `BUS_PUBLIC_KEYS`. */
  busPublicKeys: string
}

/** Connects as the operator; throws if no server can be reached. */
export function connectAsOperator({ natsUrl, busKey, busPublicKeys }: OperatorAccess): Promise<NatsConnection> {
  const identity = createBusIdentity({ user: 'operator', seeds: parseBusSeeds(busKey), publicKeys: parsePublicBusKeys(busPublicKeys) })
  return connectNats({ name: 'operator', url: natsUrl, identity, waitsForServer: false })
}
