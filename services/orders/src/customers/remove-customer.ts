import { customerDeleted } from '@quittance/contracts/customers'
import type { Transaction } from '@quittance/runtime/handler'
import { revokeBenefits } from '../benefits/entitlement.ts'
import { CustomerSession } from '../customer-sessions/customer-session.ts'
import { endSubscriptionsOf } from '../subscriptions/end-subscriptions.ts'
import { Customer } from './customer.ts'
import { customerAsDeletedView } from './customer-view.ts'
import { tellCustomerState } from './tell-customer-state.ts'

/** Deletes a customer, ends their sessions and subscriptions and takes their benefits. The row stays, for the orders that show it. */
export async function removeCustomer(id: string, context: Transaction): Promise<null> {
  const { em, now, read, publish } = context
  const customer = await em.findOneOrFail(Customer, { id, deletedAt: null })
  customer.delete(now)
  await em.nativeDelete(CustomerSession, { customerId: id })
  const view = await read.one(customerAsDeletedView, { where: 'c.id = :id', values: { id } })
  publish({ event: customerDeleted, aggregateId: id, organizationId: customer.organizationId, payload: view })
  await endSubscriptionsOf(id, context)
  await revokeBenefits(context, { customerId: id })
  await tellCustomerState(context, id)
  return null
}
