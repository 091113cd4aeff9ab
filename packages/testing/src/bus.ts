/** Keys of the message bus for tests: derived from the users' names, and therefore useless elsewhere. */
import { hash } from 'node:crypto'
import { headers } from '@quittance/contracts/headers'
import { busUsers, type BusUser } from '@quittance/contracts/nats-users'
import { signEvents } from '@quittance/runtime/internal/bus/event-signature'
import { createBusIdentity, formatPublicBusKeys, parsePublicBusKeys, type BusIdentity } from '@quittance/runtime/bus/identity'
import type { OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { natsHeaders, type MsgHdrs } from '@quittance/runtime/nats-connection'

const seedFor = (user: BusUser): Buffer => hash('sha256', `quittance test ${user}`, 'buffer')

const publicKeys = formatPublicBusKeys(Object.fromEntries(busUsers.map((user) => [user, seedFor(user)])) as Record<BusUser, Buffer>)

/** Returns the bus settings of a service under test. */
export function testBusSettings(user: BusUser): { BUS_KEY: string; BUS_PUBLIC_KEYS: string } {
  return { BUS_KEY: seedFor(user).toString('base64'), BUS_PUBLIC_KEYS: publicKeys }
}

/** Returns the settings with which the supervisor passes the test keys to its services. */
export function testBusEnvironment(): Record<string, string> {
  return Object.fromEntries(busUsers.map((user) => [`BUS_KEY_${user.toUpperCase()}`, seedFor(user).toString('base64')]))
}

/** Returns the operator access of a system that runs with the test keys. */
export function testOperatorAccess(natsUrl: string): OperatorAccess {
  const { BUS_KEY: busKey, BUS_PUBLIC_KEYS: busPublicKeys } = testBusSettings('operator')
  return { natsUrl, busKey, busPublicKeys }
}

const identities = new Map<BusUser, BusIdentity>()

/** Returns the keys of a user for a test that acts as this user. */
export function testIdentity(user: BusUser): BusIdentity {
  const identity = identities.get(user) ?? createBusIdentity({ user, seeds: [seedFor(user)], publicKeys: parsePublicBusKeys(publicKeys) })
  identities.set(user, identity)
  return identity
}

/** Creates the signed headers of an event that a test publishes in the name of its publisher. */
export function signedEventHeaders(
  publisher: BusUser,
  event: { subject: string; id: string; aggregateId: string; organizationId?: string | null; occurredAt: string; body: Uint8Array },
): MsgHdrs {
  const sent = natsHeaders()
  sent.set('Nats-Msg-Id', event.id)
  sent.set(headers.aggregate, event.aggregateId)
  sent.set(headers.occurredAt, event.occurredAt)
  if (event.organizationId) sent.set(headers.organization, event.organizationId)
  const [signature] = signEvents(testIdentity(publisher), [{ subject: event.subject, body: event.body, header: (name) => sent.get(name) }])
  sent.set(headers.signature, signature as string)
  return sent
}
