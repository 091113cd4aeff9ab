/** The write of the peer in one unit of work: a customer, its two events and the stored reply. */
import { createHash, randomUUID } from 'node:crypto'
import { serialize, type EntityManager } from '@mikro-orm/postgresql'
import { emptyState, type CreateCustomer } from '../p1/create-customer.ts'
import { CustomerEntity, IdempotentReplyEntity, OutboxEntity } from './entities.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** Returns the customer; the same again for the same request with the same key. */
export function createCustomer(em: EntityManager, request: CreateCustomer): Promise<unknown> {
  return em.transactional((em) => once(em, request))
}

async function once(em: EntityManager, { organization_id, key, body }: CreateCustomer): Promise<unknown> {
  const keyHash = digest(`${organization_id}\n${key}`)
  const requestHash = digest(JSON.stringify(body))
  const [lock] = await em.execute<{ taken: boolean }[]>('select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken', [keyHash])
  if (!lock?.taken) throw new Error('A request with this key is in progress.')
  const known = await em.findOne(IdempotentReplyEntity, keyHash)
  if (known?.request_hash === requestHash) return JSON.parse(known.reply)
  if (known) throw new Error('This key was used with another request.')
  const customer = em.create(CustomerEntity, {
    id: randomUUID(),
    organization_id,
    created_at: new Date(),
    modified_at: null,
    external_id: null,
    email: body.email,
    email_verified: false,
    name: body.name ?? null,
    avatar_url: null,
    billing_address: null,
    tax_id: null,
    deleted_at: null,
    metadata: {},
  })
  const reply = serialize(customer)
  const payload = JSON.stringify(reply)
  em.create(OutboxEntity, { subject: 'customer.created', payload })
  em.create(OutboxEntity, { subject: 'customer.state_changed', payload: JSON.stringify({ ...(reply as object), ...emptyState }) })
  em.create(IdempotentReplyEntity, { key_hash: keyHash, request_hash: requestHash, reply: payload })
  return reply
}
