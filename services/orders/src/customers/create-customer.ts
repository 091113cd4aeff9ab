import { createCustomer as contract, customerCreated } from '@quittance/contracts/customers'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Customer, newCustomer } from './customer.ts'
import { customerView } from './customer-view.ts'
import { tellCustomerState } from './tell-customer-state.ts'
import { refuseTakenIdentity } from './unique-customer.ts'

export const createCustomer = command(contract, async (request, context) => {
  const { em, caller, read, rows, publish } = context
  const organizationId = chosenOrganization(caller, request.organization_id)
  await refuseTakenIdentity(rows, { id: null, organizationId, email: request.email, externalId: request.external_id })
  const customer = em.create(Customer, { ...newCustomer, organizationId, email: request.email })
  customer.change(request)
  await em.flush()
  const view = await read.one(customerView, { where: 'c.id = :id', values: { id: customer.id } })
  publish({ event: customerCreated, aggregateId: customer.id, organizationId, payload: view })
  await tellCustomerState(context, customer.id)
  return view
})
