import type { Caller } from '@quittance/contracts/caller'
import { addCustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import type { OrdersUnderTest } from './start-orders.ts'

const copy = `
  insert into payment_methods (id, created_at, organization_id, customer_id, payment_account_id, payer_id, provider_method, type, brand, last4,
    exp_month, exp_year)
  select gen_random_uuid(), now(), organization_id, customer_id, payment_account_id, payer_id, $2, type, 'visa', '1111', 1, 2031
  from payment_methods where customer_id = $1 order by created_at limit 1
  returning id`

/** Stores a further method of a customer who has paid once. Returns its id. */
export async function storeFurtherMethod(orders: OrdersUnderTest, customerId: string, token: string): Promise<string> {
  const [stored] = await orders.rows<{ id: string }>(copy, [customerId, `pm_${token}`])
  if (!stored) throw new Error('The customer has no stored method')
  return stored.id
}

/** Stores a method without a payment. Returns the id of the setup. */
export async function storeBySetup(orders: OrdersUnderTest, buyer: Caller): Promise<string> {
  const { id } = await orders.call(addCustomerPaymentMethod, { confirmation_token_id: 'ctoken_ok' }, buyer)
  const [setup] = await orders.rows<{ id: string }>('select id from payment_setups where payment_method_id = $1', [id])
  return setup?.id ?? ''
}
