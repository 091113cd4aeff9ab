import type { ScopedSql } from '@quittance/sql/sql-runner'

/** How an event names its owner: the customer id counts if it is set. */
export interface OwnerReference {
  organizationId: string
  customerId: string | null
  externalId: string | null
}

interface ResolvedRow {
  position: number
  customer_id: string | null
  owner_id: string | null
}

const rowsOf = `
  unnest(:positions::int[], :organizations::uuid[], :customers::uuid[], :external_ids::text[])
    as r (position, organization_id, customer_id, external_id)`

const resolve = `
  select r.position, c.id as customer_id, o.id as owner_id from ${rowsOf}
  left join lateral (
    select id from customers where id = r.customer_id and organization_id = r.organization_id and deleted_at is null
    union all (
      select id from customers
      where r.customer_id is null and organization_id = r.organization_id and external_id = r.external_id
      order by changed_at desc limit 1)) c on true
  left join lateral (
    select id from owners where customer_id = c.id and merged_into is null
    union all
    select id from owners
    where c.id is null and r.customer_id is null and organization_id = r.organization_id and external_id = r.external_id
      and customer_id is null) o on true
  where r.organization_id = any (:scope_organizations)
  order by r.position`

// In one order, so that two transactions that create the same owners wait for each other, and cannot deadlock.
const create = `
  insert into owners (organization_id, customer_id, external_id)
  select r.organization_id, r.customer_id, coalesce(c.external_id, r.external_id)
  from ${rowsOf} left join customers c on c.id = r.customer_id
  where r.organization_id = any (:scope_organizations)
  order by r.customer_id, r.organization_id, r.external_id
  on conflict do nothing`

/**
 * Returns the id of the owner of each reference, and creates missing owners; null for a customer id that no customer of the organization
 * has. The organizations must be locked.
 */
export async function resolveOwners(sql: ScopedSql, references: readonly OwnerReference[]): Promise<(string | null)[]> {
  const found = await resolveRows(sql, references)
  const missing = found.flatMap(({ customer_id, owner_id }, index) => {
    const { organizationId, customerId, externalId } = references[index] as OwnerReference
    if (owner_id !== null || (customerId !== null && customer_id === null)) return []
    return [{ organizationId, customerId: customer_id, externalId: customer_id === null ? externalId : null }]
  })
  if (missing.length === 0) return found.map(({ owner_id }) => owner_id)
  await sql('owners.create', create, bindReferences(missing))
  return (await resolveRows(sql, references)).map(({ owner_id }) => owner_id)
}

async function resolveRows(sql: ScopedSql, references: readonly OwnerReference[]): Promise<ResolvedRow[]> {
  return sql<ResolvedRow>('owners.resolve', resolve, bindReferences(references))
}

function bindReferences(references: readonly OwnerReference[]) {
  return {
    positions: references.map((_, index) => index),
    organizations: references.map(({ organizationId }) => organizationId),
    customers: references.map(({ customerId }) => customerId),
    external_ids: references.map(({ externalId }) => externalId),
  }
}

const readOwners = `
  select id, customer_id, external_id from owners
  where organization_id = any (:scope_organizations) and
    ((customer_id = any (:customers::uuid[]) and merged_into is null)
      or (organization_id = :organization_id and external_id = any (:external_ids::text[]) and customer_id is null))
  for update`

const take = `
  update owners set customer_id = :customer_id, merged_into = :merged_into
  where id = :id and organization_id = any (:scope_organizations)`

const rename = `
  update owners set external_id = c.external_id
  from unnest(:customers::uuid[], :external_ids::text[]) as c (id, external_id)
  where owners.customer_id = c.id and owners.organization_id = any (:scope_organizations)
    and owners.external_id is distinct from c.external_id`

interface OwnerRow {
  id: string
  customer_id: string | null
  external_id: string | null
}

/**
 * Gives customers the usage of the external ids they took: an open owner becomes theirs, or is merged into the one they have. The organization
 * must be locked, and no customer occurs twice.
 */
export async function attributeOwners(
  sql: ScopedSql,
  organizationId: string,
  customers: readonly { id: string; external_id: string | null }[],
): Promise<void> {
  if (customers.length === 0) return
  const values = { customers: customers.map(({ id }) => id), external_ids: customers.map(({ external_id }) => external_id) }
  const owners = await sql<OwnerRow>('owners.read', readOwners, { ...values, organization_id: organizationId })
  // Most customers have no owner yet.
  if (owners.length === 0) return
  const own = new Map(owners.map(({ customer_id, id }) => [customer_id, id]))
  const open = new Map(owners.flatMap(({ customer_id, external_id, id }) => (customer_id === null ? [[external_id, id]] : [])))
  for (const { id: customerId, external_id } of customers) {
    const id = open.get(external_id)
    if (id === undefined) continue
    open.delete(external_id)
    await sql('owners.take', take, { id, customer_id: customerId, merged_into: own.get(customerId) ?? null })
  }
  await sql('owners.rename', rename, values)
}
