import {
  deleteCustomerPaymentMethod as deleteContract,
  listCustomerPaymentMethods as listContract,
  PaymentMethodInUse,
  setDefaultCustomerPaymentMethod as setDefaultContract,
} from '@quittance/contracts/customer-payment-methods'
import { callerCustomerId } from '@quittance/contracts/caller'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { command, query, type CommandContext } from '@quittance/runtime/handler'
import { newestFirst } from '@quittance/sql/list-query'
import { lockCustomer } from '../customers/lock-customer.ts'
import { customerPaymentMethodView } from '../payment-methods/list-payment-methods.ts'
import { detachMethod } from '../payment-methods/detach-method.ts'
import { makeDefaultMethod } from '../payment-methods/stored-methods.ts'
import { mayUseDefault } from '../subscriptions/charge-conditions.ts'
import { chargeNewDefault } from '../subscriptions/charge-owed-orders.ts'

export const listCustomerPaymentMethods = query(listContract, ({ page, limit }, { read }) =>
  read.page(customerPaymentMethodView, { where: 'true', orderBy: newestFirst('m'), page, limit }),
)

// A session bound to a checkout proves no address: it reaches no stored method.
const lockMethod = `
  select m.status, m.customer_id, m.is_default, exists (
    select from subscriptions s where s.customer_id = m.customer_id and s.status in ('trialing', 'active', 'past_due', 'unpaid')
      and (s.price_amount > 0 or s.pending_product_id is not null) and not s.cancel_at_period_end
      and not (s.amount = 0 and exists (select from discounts d where d.id = s.discount_id and d.duration = 'forever'))
      and case when ${mayUseDefault}
        then (s.payment_method_id = m.id or m.is_default and (s.status <> 'trialing' or s.payment_method_id is not null))
          and not exists (select from payment_methods x where x.customer_id = m.customer_id and x.id <> m.id and x.is_default and x.status = 'active')
        else s.payment_method_id = m.id end
    ) as is_needed
  from payment_methods m
  where m.id = :id and m.status <> 'detached' and m.organization_id = any (:scope_organizations)
    and m.customer_id = :scope_customer and :scope_checkout::uuid is null
  for update`

interface LockedMethod {
  customer_id: string
  status: 'active' | 'blocked'
  is_default: boolean
  is_needed: boolean
}

async function requireMethod(id: string, { sql, caller }: CommandContext): Promise<LockedMethod> {
  const customerId = callerCustomerId(caller)
  if (!customerId) throw new ResourceNotFound()
  // Charges of the customer and changes of the methods wait for each other.
  await lockCustomer(sql, customerId)
  const [method] = await sql<LockedMethod>('payment-method.lock', lockMethod, { id })
  if (!method) throw new ResourceNotFound()
  return method
}

/** Deletes a method here, so that nothing charges it any more; a job then detaches it at its provider. */
export const deleteCustomerPaymentMethod = command(deleteContract, async ({ id }, context) => {
  const { is_needed: isNeeded } = await requireMethod(id, context)
  if (isNeeded)
    throw new PaymentMethodInUse(
      'A subscription is charged with this payment method. Choose another one for it, or make another one the default, first.',
    )
  await detachMethod(context, id)
  return null
})

export const setDefaultCustomerPaymentMethod = command(setDefaultContract, async ({ id }, context) => {
  const { status, customer_id: customerId } = await requireMethod(id, context)
  if (status === 'blocked') throw new Conflict('A payment with this payment method is disputed.')
  await makeDefaultMethod(context, { customerId, id })
  await chargeNewDefault(context, { customerId, methodId: id })
  return context.read.one(customerPaymentMethodView, { where: 'm.id = :id', values: { id } })
})
