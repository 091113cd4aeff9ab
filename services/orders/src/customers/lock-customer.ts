import { sharedByCheckouts, type ScopedSql } from '@quittance/sql/sql-runner'

// Not `for update`: rows that refer to the customer can still be inserted.
const lock = `
  select id, deleted_at is null as "isActive" from customers
  where id = any (:ids::uuid[]) and organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or id = :scope_customer) and ${sharedByCheckouts}
  order by id for no key update`

/**
 * Locks customers until the end of the transaction and returns whether each exists and is not deleted. A transaction that publishes the
 * state of a customer locks the customer before it locks or changes a subscription, a grant or an order, so that such transactions wait for
 * each other only here. The state is then read after the changes of those before.
 */
export async function lockCustomers(sql: ScopedSql, ids: readonly string[]): Promise<boolean[]> {
  const found = await sql<{ id: string; isActive: boolean }>('customers.lock', lock, { ids: [...ids] })
  return ids.map((id) => found.some((each) => each.id === id && each.isActive))
}

/** The same for one customer. */
export async function lockCustomer(sql: ScopedSql, id: string): Promise<boolean> {
  const [isActive] = await lockCustomers(sql, [id])
  return isActive === true
}
