import type { Transaction } from '@quittance/runtime/handler'

/** An object of the sandbox, as it is stored. */
export interface SandboxObject {
  id: string
  kind: 'charge' | 'setup' | 'refund' | 'dispute'
  ours: string
  payment: string | null
  amount: string | null
  currency: string | null
  token: string
  status: SandboxStatus
  submissions: number
  replies: Record<string, SandboxStatus>
  submitted_at: string | null
}

export type SandboxStatus = 'untouched' | 'requires_action' | 'processing' | 'succeeded' | 'declined' | 'canceled' | 'failed'

/** An object to make. */
export type NewSandboxObject = Pick<SandboxObject, 'id' | 'kind' | 'ours' | 'payment' | 'token' | 'status'> & {
  organizationId: string
  amount: bigint | null
  currency: string | null
  /** Key of the call: a repeated one finds the object. */
  key: string
}

type Sql = Transaction['sql']

const columns = `id, kind, ours, payment, amount::text, currency, token, status, submissions, replies, to_json(submitted_at)#>>'{}' as submitted_at`

const insert = `
  insert into sandbox_objects (id, kind, organization_id, ours, payment, amount, currency, token, status, made_by)
  select :id::text, :kind::text, :organization_id::uuid, :ours::uuid, :payment::text, :amount::bigint, :currency::text, :token::text, :status::text,
    :key::text
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (made_by) do nothing`

const byKey = `select ${columns} from sandbox_objects where made_by = :key and organization_id = any (:scope_organizations)`

/** Makes an object once per key, and returns it. */
export async function makeObject(sql: Sql, { organizationId, amount, ...object }: NewSandboxObject): Promise<SandboxObject> {
  await sql('sandbox.make', insert, { ...object, organization_id: organizationId, amount: amount === null ? null : String(amount) })
  const [made] = await sql<SandboxObject>('sandbox.by-key', byKey, { key: object.key })
  return made as SandboxObject
}

const lock = `select ${columns} from sandbox_objects where id = :id and organization_id = any (:scope_organizations) for update`

/** Locks an object; null if there is none. */
export async function lockObject(sql: Sql, id: string): Promise<SandboxObject | null> {
  const [found] = await sql<SandboxObject>('sandbox.lock', lock, { id })
  return found ?? null
}

const byOurs = `
  select ${columns} from sandbox_objects
  where ours = :ours and kind = :kind and organization_id = any (:scope_organizations) order by created_at limit 1`

export async function findObject(sql: Sql, { ours, kind }: Pick<SandboxObject, 'ours' | 'kind'>): Promise<SandboxObject | null> {
  const [found] = await sql<SandboxObject>('sandbox.find', byOurs, { ours, kind })
  return found ?? null
}

const update = `
  update sandbox_objects set status = :status, submissions = :submissions, replies = :replies::jsonb,
    submitted_at = case when :is_submitted then coalesce(submitted_at, now()) else submitted_at end
  where id = :id and organization_id = any (:scope_organizations)
  returning to_json(submitted_at)#>>'{}' as submitted_at`

/** Stores the changes of a locked object. */
export async function saveObject(sql: Sql, { id, status, submissions, replies }: SandboxObject): Promise<void> {
  await sql('sandbox.save', update, { id, status, submissions, replies: JSON.stringify(replies), is_submitted: submissions > 0 })
}

const sumRefunds = `
  select coalesce(sum(amount), 0)::text as amount from sandbox_objects
  where payment = :payment and kind = 'refund' and status <> 'failed' and organization_id = any (:scope_organizations)`

/** Returns what refunds of a payment returned so far. */
export async function sumSandboxRefunds(sql: Sql, payment: string): Promise<bigint> {
  const [sum] = await sql<{ amount: string }>('sandbox.refunded', sumRefunds, { payment })
  return BigInt(sum?.amount ?? 0)
}
