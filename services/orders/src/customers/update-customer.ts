import {
  updateCustomer as updateCustomerContract,
  updateCustomerByExternalId as updateCustomerByExternalIdContract,
  customerUpdated,
  type Customer as CustomerReply,
} from '@quittance/contracts/customers'
import { command, type Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { requireByExternalId } from './customer-queries.ts'
import type { JsonText } from '@quittance/sql/view'
import { Customer, type CustomerChange } from './customer.ts'
import { customerView } from './customer-view.ts'
import { publishCustomerState } from './customer-state.ts'
import { lockCustomer } from './lock-customer.ts'
import { assertIdentityAvailable } from './customer-identity.ts'

export const updateCustomer = command(updateCustomerContract, changeCustomer)

export const updateCustomerByExternalId = command(updateCustomerByExternalIdContract, async ({ external_id, ...change }, context) => {
  const { id } = await requireByExternalId(context.read, external_id)
  return changeCustomer({ id, ...change }, context)
})

/** The customer has another address, which is not proven yet. */
export const afterAddressChanged = reactionPoint<{ customerId: string }>('orders.customer.address-changed')

/**
 * Changes a customer and publishes the change, for sellers and customers alike. A new address ends all sessions of the customer, also that of the
 * caller: its owner is who signs in by it.
 */
export async function changeCustomer(
  { id, ...change }: CustomerChange & { id: string },
  context: Transaction,
): Promise<JsonText<CustomerReply>> {
  const { em, read, sql, publish, react } = context
  await em.findOneOrFail(Customer, { id, deletedAt: null }, { disableIdentityMap: true })
  await lockCustomer(sql, id)
  const customer = await em.findOneOrFail(Customer, { id, deletedAt: null })
  const { organizationId, email } = customer
  await assertIdentityAvailable(context, { id, organizationId, email: change.email, externalId: change.external_id })
  customer.change(change)
  const view = await read.one(customerView, { where: 'c.id = :id', values: { id } })
  publish({ event: customerUpdated, aggregateId: id, organizationId, payload: view })
  await publishCustomerState(context, id)
  if (customer.email !== email) await react(afterAddressChanged, { customerId: id })
  return view
}
