import {
  deleteCustomer as deleteCustomerContract,
  deleteCustomerByExternalId as deleteCustomerByExternalIdContract,
  customerDeleted,
} from '@quittance/contracts/customers'
import { command, type Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { anonymizeCustomersJobName } from '../job-names.ts'
import { requireByExternalId } from './customer-queries.ts'
import { lockCustomer } from './lock-customer.ts'
import { Customer } from './customer.ts'
import { customerAsDeletedView } from './customer-view.ts'
import { publishCustomerState } from './customer-state.ts'

export const deleteCustomer = command(deleteCustomerContract, removeCustomer)

export const deleteCustomerByExternalId = command(deleteCustomerByExternalIdContract, async ({ external_id, anonymize }, context) => {
  const { id } = await requireByExternalId(context.read, external_id)
  return removeCustomer({ id, anonymize }, context)
})

export const afterCustomerDeleted = reactionPoint<{ customerId: string }>('orders.customer.deleted')

/**
 * Deletes a customer and publishes the deletion, then whatever reacts to it. The row is kept for the orders that show it. An anonymized one is
 * without personal data in the events already; one that was deleted before is anonymized without an event.
 */
async function removeCustomer({ id, anonymize }: { id: string; anonymize: boolean }, context: Transaction): Promise<null> {
  const { em, now, sql, wake } = context
  const removable = anonymize ? { id } : { id, deletedAt: null }
  await em.findOneOrFail(Customer, removable, { disableIdentityMap: true })
  await lockCustomer(sql, id)
  const customer = await em.findOneOrFail(Customer, removable)
  const wasDeleted = customer.deletedAt !== null
  if (!wasDeleted) customer.delete(now)
  if (anonymize) {
    customer.anonymize(now)
    wake(anonymizeCustomersJobName)
  }
  if (!wasDeleted) await publishDeletion(customer, context)
  return null
}

async function publishDeletion({ id, organizationId }: Customer, context: Transaction): Promise<void> {
  const view = await context.read.one(customerAsDeletedView, { where: 'c.id = :id', values: { id } })
  context.publish({ event: customerDeleted, aggregateId: id, organizationId, payload: view })
  await context.react(afterCustomerDeleted, { customerId: id })
  await publishCustomerState(context, id)
}
