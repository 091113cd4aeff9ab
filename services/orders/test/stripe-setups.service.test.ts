import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { PaymentError } from '@quittance/contracts/checkouts'
import {
  addCustomerPaymentMethod,
  confirmCustomerPaymentMethod,
  listCustomerPaymentMethods,
} from '@quittance/contracts/customer-payment-methods'
import { createCustomer } from '@quittance/contracts/customers'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { deliverEvent, startStripeShop, type StripeShop } from './stripe-shop.ts'

async function startBuyer({ orders, shop }: StripeShop): Promise<Caller> {
  const { id: customerId } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, shop.seller)
  return customerCaller({ organizationId: shop.organizationId, customerId })
}

function add({ orders, fake, stripe }: StripeShop, buyer: Caller, card: string) {
  return orders.call(addCustomerPaymentMethod, { confirmation_token_id: fake.buyer.createToken(stripe.id, card) }, buyer)
}

const list = async ({ orders }: StripeShop, buyer: Caller) => (await orders.call(listCustomerPaymentMethods, {}, buyer)).items

const findIntent = ({ fake, stripe }: StripeShop) => [...fake.state(stripe.id).setupIntents.keys()][0] ?? ''

/** Adds a card that the bank of the buyer asks about. Returns the id of the setup. */
async function addWithBank(shop: StripeShop, buyer: Caller): Promise<string> {
  const rejection = await add(shop, buyer, 'pm_card_authenticationRequiredOnSetup').catch((error: unknown) => error)
  expect(rejection).toMatchObject({ status: 400, body: { error: 'PaymentMethodActionRequired' } })
  return (rejection as { body: { setup_id: string } }).body.setup_id
}

test('stores a card at Stripe without taking money, with our keys only [payments 12]', async () => {
  await using shop = await startStripeShop()
  const buyer = await startBuyer(shop)
  const stored = await add(shop, buyer, 'pm_card_visa')
  expect(await list(shop, buyer)).toEqual([stored.payment_method])
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({})
  expect(shop.fake.keysNotOurs()).toEqual([])
})

test('stores a card after the step of the bank, on the request of the buyer', async () => {
  await using shop = await startStripeShop()
  const buyer = await startBuyer(shop)
  const setup_id = await addWithBank(shop, buyer)
  shop.fake.buyer.completeAction(shop.stripe.id, findIntent(shop))
  const stored = await shop.orders.call(confirmCustomerPaymentMethod, { setup_id }, buyer)
  expect(await list(shop, buyer)).toEqual([stored.payment_method])
})

test('stores a card after the step of the bank, on the event of Stripe [payments 38]', async () => {
  await using shop = await startStripeShop()
  const buyer = await startBuyer(shop)
  await addWithBank(shop, buyer)
  await shop.orders.rows(`update payment_setups set next_check_at = now() + interval '1 day' returning 1`)
  shop.fake.buyer.completeAction(shop.stripe.id, findIntent(shop))
  for (let count = 0; count < 3; count++) await deliverEvent(shop, 'setup_intent.succeeded')
  await eventually(async () => expect(await list(shop, buyer)).toMatchObject([{ type: 'card', default: true }]))
  expect(await shop.orders.rows('select from payment_methods')).toHaveLength(1)
})

test('a card whose step at the bank failed is not stored', async () => {
  await using shop = await startStripeShop()
  const buyer = await startBuyer(shop)
  const setup_id = await addWithBank(shop, buyer)
  shop.fake.buyer.completeAction(shop.stripe.id, findIntent(shop), 'fails')
  await expect(shop.orders.call(confirmCustomerPaymentMethod, { setup_id }, buyer)).rejects.toThrow(PaymentError)
  expect(await list(shop, buyer)).toEqual([])
})
