/** Stolen credentials of one service, and what nats-server can be made to publish with them. */
import type { Caller } from '@quittance/contracts/caller'
import { headers } from '@quittance/contracts/headers'
import { events } from '@quittance/contracts/registry'
import type { BusServiceName } from '@quittance/contracts/services'
import { eventStream, durableConsumers } from '@quittance/contracts/streams'
import { signRequest } from '@quittance/runtime/internal/bus/request-signature'
import { natsHeaders, type MsgHdrs, type NatsConnection } from '@quittance/runtime/nats-connection'
import { testIdentity } from '../src/bus.ts'
import { eventually } from '../src/eventually.ts'

/** NATS user and bus key of one service. */
export interface Thief {
  user: BusServiceName
  connection: NatsConnection
  /** A consumer of the service, if it has one. */
  durable: string | null
}

const operator: Caller = { kind: 'operator' }
const pullSubject = (durable: string) => `$JS.API.CONSUMER.MSG.NEXT.${eventStream.name}.${durable}`

/**
 * Creates the headers of forged requests: without a signature, and signed with the stolen key in the name of the gateway and of the
 * operator.
 */
export function forgeries({ user }: Thief, subject: string): MsgHdrs[] {
  const stolen = testIdentity(user)
  const unsigned = () => {
    const sent = natsHeaders()
    sent.set(headers.caller, JSON.stringify(operator))
    sent.set(headers.deadline, String(Date.now() + 60_000))
    return sent
  }
  const signAs = (sender: string) => {
    const sent = unsigned()
    const identity = {
      ...stolen,
      requestKeys: ({ owner }: { owner: BusServiceName | 'operator' }) => stolen.requestKeys({ sender: user, owner }),
    }
    signRequest(identity, { subject, headers: sent, body: Buffer.from('{}') })
    sent.set(headers.sender, sender)
    return sent
  }
  return [unsigned(), signAs('gateway'), signAs('operator')]
}

/** Returns the first event that the thief may publish. */
export function ownEvent({ user }: Pick<Thief, 'user'>): string | null {
  return events.find(({ publisher }) => publisher === user)?.subject ?? null
}

/** Whether the thief's event is delivered to the thief's consumer. */
function isDeliveredTo(durable: string | null, event: string): durable is string {
  const subscription = Object.values(durableConsumers).find((candidate) => candidate.durable === durable)
  return subscription?.subject === 'event.>' || subscription?.subject === event
}

/**
 * Publishes an event of the thief with these headers and makes the server deliver it to a subject that the thief may not publish to: as the
 * reply subject of a pull if the thief's consumer receives the event, otherwise as the reply subject of the publish acknowledgement.
 */
export async function deliverTo(thief: Thief, message: { subject: string; headers: MsgHdrs; body?: Uint8Array }): Promise<void> {
  const { connection, durable } = thief
  const event = ownEvent(thief) as string
  const body = message.body ?? Buffer.from('{}')
  if (isDeliveredTo(durable, event)) {
    await drain(thief)
    await connection.jetstream().publish(event, body, { headers: message.headers })
    connection.publish(pullSubject(durable), '{"batch":1,"expires":1000000000}', { reply: message.subject })
  } else connection.publish(event, body, { reply: message.subject, headers: message.headers })
  await connection.flush()
}

/**
 * Sends every request to which JetStream replies, with a reply subject chosen by the thief. Returns the number of events published for it.
 */
export async function provokeReplies(thief: Thief, reply: string): Promise<number> {
  const { connection, durable } = thief
  const event = ownEvent(thief)
  if (event) connection.publish(event, '{"seq":1}', { reply })
  connection.publish(`$JS.API.STREAM.INFO.${eventStream.name}`, '', { reply })
  if (durable) connection.publish(`$JS.API.CONSUMER.INFO.${eventStream.name}.${durable}`, '', { reply })
  await connection.flush()
  if (!event) return 0
  if (!isDeliveredTo(durable, event)) return 1
  await connection.jetstream().publish(event, '{}')
  // The reply to a confirmed acknowledgement is an empty message, which is a valid request to delete or purge.
  for (const acknowledgement of await drain(thief)) connection.publish(acknowledgement, '+ACK', { reply })
  connection.publish(pullSubject(durable), '{"batch":5,"no_wait":true}', { reply })
  await connection.flush()
  return 2
}

/** Pulls all pending messages of the consumer; returns their acknowledgement subjects. */
async function drain({ connection, durable, user }: Thief): Promise<string[]> {
  const acknowledgements: string[] = []
  let isEmpty = false
  const inbox = `_INBOX_${user}.drained`
  const pulled = connection.subscribe(inbox, {
    callback: (_, { reply, headers: status }) => {
      if (status?.code) isEmpty = true
      else if (reply) acknowledgements.push(reply)
    },
  })
  connection.publish(pullSubject(durable as string), '{"batch":1000,"no_wait":true}', { reply: inbox })
  await eventually(() => {
    if (!isEmpty) throw new Error('The consumer has not been drained')
  })
  pulled.unsubscribe()
  return acknowledgements
}

/** Records the subjects that the server denies to a connection from now on. */
export function recordDenials(connection: NatsConnection): string[] {
  const denied: string[] = []
  void (async () => {
    for await (const { permissionContext } of connection.status() as AsyncIterable<{ permissionContext?: { subject: string } }>) {
      if (permissionContext) denied.push(permissionContext.subject)
    }
  })()
  return denied
}
