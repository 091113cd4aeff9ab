import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts, type ScopedSql } from '@quittance/sql/sql-runner'
import { hasLiveAccount } from '../providers/processor-metadata.ts'
import type { MethodDetails } from '../providers/provider.ts'
import { changedMethod, publishChangedMethods, type ChangedMethod } from './publish-changed-methods.ts'

/** A stored method that can be charged while the buyer is absent. */
export interface ChargeableMethod {
  id: string
  accountId: string | null
  /** The provider's id. */
  method: string
}

const store = `
  insert into payment_methods (id, created_at, organization_id, customer_id, payment_account_id, payer_id, provider_method, type, brand, last4,
    exp_month, exp_year, wallet, is_default)
  select gen_random_uuid(), now(), y.organization_id, y.customer_id, y.payment_account_id, y.id, :method, :type, :brand, :last4,
    :exp_month, :exp_year, :wallet, not exists (select from payment_methods m where m.customer_id = y.customer_id and m.is_default)
  from payers y
  where y.customer_id = :customer_id and y.payment_account_id is not distinct from :account::uuid and y.organization_id = any (:scope_organizations)
  on conflict (payer_id, provider_method) where status <> 'detached' do update set brand = excluded.brand, last4 = excluded.last4,
    exp_month = excluded.exp_month, exp_year = excluded.exp_year, modified_at = now(), version = payment_methods.version + 1
  returning id`

/**
 * Stores a method of a customer once, and returns its id; null if it cannot be charged again. The first one is the customer's default. The
 * caller has locked the customer.
 */
export async function storeMethod(
  sql: ScopedSql,
  { customerId, accountId, method }: { customerId: string; accountId: string | null; method: MethodDetails },
): Promise<string | null> {
  const { theirs, type } = method
  if (theirs === null) return null
  const details = { method: theirs, type, ...toDetailColumns(method) }
  const [row] = await sql<{ id: string }>('payment-method.store', store, { ...details, customer_id: customerId, account: accountId })
  return row?.id ?? null
}

/** Columns with the details that a provider can change. */
export function toDetailColumns({ brand, last4, expMonth, expYear, wallet }: MethodDetails) {
  return { brand, last4, exp_month: expMonth, exp_year: expYear, wallet }
}

/**
 * Condition of a method `m` of the account `a` that can be charged while the buyer is absent. Only an active account takes new payments. What
 * moves no money, the sandbox and a test account that is not the default, takes none beside a live account.
 */
export const isChargeable = `m.status = 'active' and (a.status = 'active' or m.payment_account_id is null)
    and (a.mode = 'live' or a.is_default or not ${hasLiveAccount('m.organization_id')})`

const find = `
  select m.id, m.payment_account_id as "accountId", m.provider_method as method from payment_methods m
  left join payment_accounts a on a.id = m.payment_account_id and a.organization_id = any (:scope_organizations)
  where m.customer_id = :customer_id and (m.id = :preferred::uuid or (m.is_default and :may_use_default::boolean)) and ${isChargeable}
    and m.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or m.customer_id = :scope_customer) and ${sharedByCheckouts}
  order by m.id = :preferred::uuid desc nulls last limit 1`

/**
 * Returns the preferred method of a customer, otherwise the default one if that may be used; null if neither can be charged.
 */
export async function findChargeableMethod(
  sql: ScopedSql,
  { customerId, preferred, mayUseDefault }: { customerId: string; preferred: string | null; mayUseDefault: boolean },
): Promise<ChargeableMethod | null> {
  const values = { customer_id: customerId, preferred, may_use_default: mayUseDefault }
  return (await sql<ChargeableMethod>('payment-method.chargeable', find, values))[0] ?? null
}

// A session bound to a checkout proves no address: it changes no stored method.
const ofCustomer = `customer_id = :customer_id and organization_id = any (:scope_organizations)
  and (:scope_customer::uuid is null or customer_id = :scope_customer) and :scope_checkout::uuid is null`

const isActive = `exists (select from payment_methods chosen where chosen.id = :id and chosen.status = 'active')`

const clearDefault = `
  update payment_methods set is_default = false, modified_at = now(), version = version + 1
  where is_default and id <> :id and ${isActive} and ${ofCustomer} returning ${changedMethod}`

/**
 * Condition of a subscription `s` that is charged to the customer's default method. Anyone could have typed the address with which another one
 * began: it is charged to the method that it names, until the signed-in customer chooses one for it.
 */
export const followsDefault = `(s.is_accepted or exists (select from checkouts b where b.id = s.checkout_id and b.is_customer_proven))`

const setDefault = `
  with chosen as (
    update payment_methods set is_default = true, modified_at = now(), version = version + 1
    where id = :id and not is_default and ${isActive} and ${ofCustomer} returning ${changedMethod}),
  followed as (
    update subscriptions s set payment_method_id = :id::uuid
    where payment_method_id is distinct from :id::uuid and ended_at is null and ${followsDefault} and ${isActive} and ${ofCustomer})
  select ${changedMethod} from chosen`

/**
 * Makes a method the default of its customer, unless it is blocked. The subscriptions that are charged to the default name it from now on. The
 * caller has locked the customer.
 */
export async function makeDefaultMethod(context: Transaction, { customerId, id }: { customerId: string; id: string }): Promise<void> {
  const { sql } = context
  const cleared = await sql<ChangedMethod>('payment-method.clear-default', clearDefault, { customer_id: customerId, id })
  const chosen = await sql<ChangedMethod>('payment-method.set-default', setDefault, { customer_id: customerId, id })
  await publishChangedMethods(context, [...cleared, ...chosen])
}
