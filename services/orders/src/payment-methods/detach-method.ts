import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import { detachMethodsJobName } from '../job-names.ts'
import { changedMethod, publishChangedMethods, type ChangedMethod } from './publish-changed-methods.ts'
import { followsDefault } from './stored-methods.ts'

const detached = `status = 'detached', is_default = false, detach_due_at = now(), modified_at = now(), version = version + 1`

// Subscriptions that name it, and are charged to the default one, name that from now on.
const detach = `
  with followed as (
    update subscriptions s set payment_method_id = d.id from payment_methods d
    where s.payment_method_id = :id and s.ended_at is null and d.customer_id = s.customer_id and d.id <> :id and d.is_default and d.status = 'active'
      and ${followsDefault} and s.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or s.customer_id = :scope_customer))
  update payment_methods set ${detached}
  where id = :id and status <> 'detached' and organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or customer_id = :scope_customer) and ${sharedByCheckouts}
  returning ${changedMethod}`

/**
 * Detaches a method on request of its customer: nothing charges it any more, and a job detaches it at its provider. The caller has locked the
 * customer.
 */
export async function detachMethod(context: Transaction, id: string): Promise<void> {
  await publishChangedMethods(context, await context.sql<ChangedMethod>('payment-method.detach', detach, { id }))
  context.wake(detachMethodsJobName)
}

const detachAll = `
  update payment_methods set ${detached}
  where customer_id = :customer_id and status <> 'detached' and organization_id = any (:scope_organizations)`

/** Detaches all methods of a deleted customer. */
export async function detachCustomerMethods({ sql, wake }: Transaction, { customerId }: { customerId: string }): Promise<void> {
  await sql('payment-methods.detach-all', detachAll, { customer_id: customerId })
  wake(detachMethodsJobName)
}
