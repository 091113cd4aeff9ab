import {
  deleteCustomer as deleteCustomerContract,
  deleteCustomerByExternalId as deleteCustomerByExternalIdContract,
  customerDeleted,
} from '@quittance/contracts/customers'
import { command, type Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { requireByExternalId } from './customer-queries.ts'
import { lockCustomer } from './lock-customer.ts'
import { Customer } from './customer.ts'
import { customerAsDeletedView } from './customer-view.ts'
import { publishCustomerState } from './customer-state.ts'

export const deleteCustomer = command(deleteCustomerContract, ({ id }, context) => removeCustomer(id, context))

export const deleteCustomerByExternalId = command(deleteCustomerByExternalIdContract, async ({ external_id }, context) => {
  const { id } = await requireByExternalId(context.read, external_id)
  return removeCustomer(id, context)
})

export const afterCustomerDeleted = reactionPoint<{ customerId: string }>('orders.customer.deleted')

/** Deletes a customer and publishes the deletion, then whatever reacts to it. The row is kept for the orders that show it. */
export async function removeCustomer(id: string, context: Transaction): Promise<null> {
  const { em, now, sql, read, publish, react } = context
  await em.findOneOrFail(Customer, { id, deletedAt: null }, { disableIdentityMap: true })
  await lockCustomer(sql, id)
  const customer = await em.findOneOrFail(Customer, { id, deletedAt: null })
  customer.delete(now)
  const view = await read.one(customerAsDeletedView, { where: 'c.id = :id', values: { id } })
  publish({ event: customerDeleted, aggregateId: id, organizationId: customer.organizationId, payload: view })
  await react(afterCustomerDeleted, { customerId: id })
  await publishCustomerState(context, id)
  return null
}
