import { customerUpdated, updateCustomer as contract } from '@quittance/contracts/customers'
import { command } from '@quittance/runtime/handler'
import { Customer } from './customer.ts'
import { customerView } from './customer-view.ts'
import { refuseTakenIdentity } from './unique-customer.ts'

export const updateCustomer = command(contract, async ({ id, ...change }, { em, read, rows, publish }) => {
  const customer = await em.findOneOrFail(Customer, { id, deletedAt: null })
  const { organizationId } = customer
  await refuseTakenIdentity(rows, { id, organizationId, email: change.email, externalId: change.external_id })
  customer.change(change)
  const view = await read.one(customerView, { where: 'c.id = :id', values: { id } })
  publish({ event: customerUpdated, aggregateId: id, organizationId, payload: view })
  return view
})
