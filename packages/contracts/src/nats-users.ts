import { busServiceNames, type BusServiceName } from './services.ts'

/**
 * NATS users that send requests, reply to them or publish events: one per service, and the operator for `quittance …` commands. They have
 * keys on the bus.
 */
export type BusUser = BusServiceName | 'operator'
export const busUsers: readonly BusUser[] = [...busServiceNames, 'operator']

/** All NATS users. `stream` reads and manages the event stream for `quittance events` and `replay --since`; it cannot reach any service. */
export type NatsUser = BusUser | 'stream'
export const natsUsers: readonly NatsUser[] = [...busUsers, 'stream']

/**
 * Reply subject of a request: `_INBOX_‹user›.‹owner›.‹instance›.‹token›. It contains the owner's name, so that a service can reply only to
 * requests sent to it. The random token cannot be guessed, so that the server cannot be made to reply in the owner's place. nats-server's
 * `allow_responses` is not used: it records every message with a reply subject, including those of JetStream, and scans all of them for
 * each new one, so the cost of a consumer grows with its rate.
 */
export function replyPrefix(user: BusUser, owner: string): string {
  return `_INBOX_${user}.${owner}`
}
