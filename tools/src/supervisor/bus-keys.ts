import { busUsers, type BusUser } from '@quittance/contracts/nats-users'
import { formatPublicBusKeys, parseBusSeeds } from '@quittance/runtime/bus/identity'
import { busKey, type Secrets } from '../secrets/secret-list.ts'

/** Keys of the message bus of an instance. */
export interface BusKeys {
  /** `BUS_KEY` of each user. */
  secret: Record<BusUser, string>
  /** `BUS_PUBLIC_KEYS`, the same for all. */
  publicKeys: string
}

/** Returns the keys of the data folder; `BUS_KEY_‹USER›` of the environment takes precedence. */
export function createBusKeys(secrets: Secrets, userEnvironment: NodeJS.ProcessEnv): BusKeys {
  const secret = forEachUser((user) => userEnvironment[busKey(user)] ?? (secrets[busKey(user)] as string))
  // During a rotation the stream has events that are signed with an earlier key.
  return { secret, publicKeys: formatPublicBusKeys(forEachUser((user) => parseBusSeeds(secret[user]))) }
}

function forEachUser<Value>(value: (user: BusUser) => Value): Record<BusUser, Value> {
  return Object.fromEntries(busUsers.map((user) => [user, value(user)])) as Record<BusUser, Value>
}
