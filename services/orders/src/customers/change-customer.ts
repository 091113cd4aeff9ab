import { customerUpdated, type Customer as CustomerReply } from '@quittance/contracts/customers'
import type { Transaction } from '@quittance/runtime/handler'
import type { JsonText } from '@quittance/runtime/view'
import { Customer, type CustomerChange } from './customer.ts'
import { customerView } from './customer-view.ts'
import { tellCustomerState } from './tell-customer-state.ts'
import { refuseTakenIdentity } from './unique-customer.ts'

/** Changes a customer and says so, whoever asked for it. */
export async function changeCustomer(
  { id, ...change }: CustomerChange & { id: string },
  context: Transaction,
): Promise<JsonText<CustomerReply>> {
  const { em, read, rows, publish } = context
  const customer = await em.findOneOrFail(Customer, { id, deletedAt: null })
  const { organizationId } = customer
  await refuseTakenIdentity(rows, { id, organizationId, email: change.email, externalId: change.external_id })
  customer.change(change)
  const view = await read.one(customerView, { where: 'c.id = :id', values: { id } })
  publish({ event: customerUpdated, aggregateId: id, organizationId, payload: view })
  await tellCustomerState(context, id)
  return view
}
