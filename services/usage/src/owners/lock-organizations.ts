import type { ScopedSql } from '@quittance/sql/sql-runner'

const lockShared = `
  select pg_advisory_xact_lock_shared(key) from (
    select distinct hashtextextended('usage organization ' || id, 0) as key from unnest(:ids::uuid[]) id
    where id = any (:scope_organizations) order by key) keys`

const lockExclusive = `
  select pg_advisory_xact_lock(hashtextextended('usage organization ' || id, 0)) from unnest(:ids::uuid[]) id
  where id = any (:scope_organizations)`

/** Locks organizations until the transaction ends, so that no customer takes an owner while events are stored. Does not block other events. */
export async function lockForEvents(sql: ScopedSql, organizationIds: readonly string[]): Promise<void> {
  await sql('organizations.lock-shared', lockShared, { ids: organizationIds })
}

/** Locks an organization until the transaction ends, so that no events are stored while a customer takes an owner. */
export async function lockForCustomer(sql: ScopedSql, organizationId: string): Promise<void> {
  await sql('organizations.lock', lockExclusive, { ids: [organizationId] })
}
