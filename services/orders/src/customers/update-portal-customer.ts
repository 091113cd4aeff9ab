import { updatePortalCustomer as contract } from '@quittance/contracts/customer-portal'
import { command } from '@quittance/runtime/handler'
import { changeCustomer } from './change-customer.ts'
import { Customer } from './customer.ts'
import { portalCustomerView } from './customer-view.ts'
import { ownCustomer } from './own-customer.ts'
import { taxIdOf } from './tax-id.ts'

export const updatePortalCustomer = command(contract, async ({ tax_id, ...change }, context) => {
  const id = ownCustomer(context.caller)
  const { billingAddress } = await context.em.findOneOrFail(Customer, { id, deletedAt: null })
  const address = change.billing_address === undefined ? billingAddress : change.billing_address
  const taxId = tax_id === undefined ? undefined : tax_id ? taxIdOf(tax_id, { country: address?.country ?? null, field: 'tax_id' }) : null
  await changeCustomer({ id, ...change, tax_id: taxId }, context)
  return context.read.one(portalCustomerView, { where: 'c.id = :id', values: { id } })
})
