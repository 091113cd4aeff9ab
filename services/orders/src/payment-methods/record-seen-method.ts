import type { Transaction } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { lockCustomer } from '../customers/lock-customer.ts'
import type { MethodDetails } from '../providers/provider.ts'
import { changedMethod, publishChangedMethods, type ChangedMethod } from './publish-changed-methods.ts'
import { toDetailColumns } from './stored-methods.ts'

/** A stored method before its provider is asked about it. */
export interface KnownMethod {
  id: string
  version: number
  customerId: string
  /** The provider's id of the customer; null if unknown. */
  payer: string | null
}

const find = `
  select m.id, m.version, m.customer_id as "customerId", y.provider_payer as payer from payment_methods m join payers y on y.id = m.payer_id
  where m.payment_account_id = :account and m.provider_method = :theirs and m.status <> 'detached' and m.organization_id = any (:scope_organizations)`

/** Finds a method that is not detached by its id at the provider. */
export async function findKnownMethod(sql: ScopedSql, method: { account: string; theirs: string }): Promise<KnownMethod | null> {
  const [known] = await sql<KnownMethod>('payment-method.find-known', find, method)
  return known ?? null
}

const lock = `select version from payment_methods where id = :id and organization_id = any (:scope_organizations) for update`

const update = `
  update payment_methods set brand = :brand, last4 = :last4, exp_month = :exp_month, exp_year = :exp_year, wallet = :wallet,
    modified_at = now(), version = version + 1
  where id = :id and organization_id = any (:scope_organizations)
    and (brand, last4, exp_month, exp_year, wallet) is distinct from (:brand::text, :last4::text, :exp_month::smallint, :exp_year::smallint, :wallet::text)
  returning ${changedMethod}`

// The provider has detached it: no job needs to.
const detach = `
  update payment_methods set status = 'detached', is_default = false, modified_at = now(), version = version + 1
  where id = :id and organization_id = any (:scope_organizations) returning ${changedMethod}`

/**
 * Records what the provider reports about a method; `seen` is null once it belongs to the customer no more. Publishes what changed. Returns
 * false, and writes nothing, if the row has changed since it was found: the provider is then asked again.
 */
export async function recordSeenMethod(
  context: Transaction,
  { known, seen }: { known: KnownMethod; seen: MethodDetails | null },
): Promise<boolean> {
  const { sql } = context
  const { id } = known
  await lockCustomer(sql, known.customerId)
  const [current] = await sql<{ version: number }>('payment-method.lock-known', lock, { id })
  if (current?.version !== known.version) return false
  const changed = seen
    ? await sql<ChangedMethod>('payment-method.update-details', update, { id, ...toDetailColumns(seen) })
    : await sql<ChangedMethod>('payment-method.detached-at-provider', detach, { id })
  await publishChangedMethods(context, changed)
  return true
}
