import { customerDeleted } from '@quittance/contracts/customers'
import type { Transaction } from '@quittance/runtime/handler'
import { CustomerSession } from '../customer-sessions/customer-session.ts'
import { Customer } from './customer.ts'
import { customerAsDeletedView } from './customer-view.ts'

/** Deletes a customer and ends their sessions. The row stays, for the orders that show it. */
export async function removeCustomer(id: string, { em, now, read, publish }: Transaction): Promise<null> {
  const customer = await em.findOneOrFail(Customer, { id, deletedAt: null })
  customer.delete(now)
  await em.nativeDelete(CustomerSession, { customerId: id })
  const view = await read.one(customerAsDeletedView, { where: 'c.id = :id', values: { id } })
  publish({ event: customerDeleted, aggregateId: id, organizationId: customer.organizationId, payload: view })
  return null
}
