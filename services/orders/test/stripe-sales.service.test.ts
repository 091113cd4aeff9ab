import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, getCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { deleteCustomer } from '@quittance/contracts/customers'
import { listOrders } from '@quittance/contracts/orders'
import { showPayment } from '@quittance/contracts/payment-operations'
import { listPayments } from '@quittance/contracts/payments'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import type { FakeInjection } from '@quittance/testing/stripe/fake-faults'
import { expect, test } from 'vitest'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { readTables } from './read-tables.ts'
import { advance, after, buyPlan, waitForSubscription } from './subscribe.ts'
import { deliverEvent, startStripeShop, type StripeShop } from './stripe-shop.ts'

const anonymous = { kind: 'anonymous' } as const
const confirm = 'POST /v1/payment_intents/:id/confirm'

async function buy({ orders, fake, stripe, shop }: StripeShop, card: string) {
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const confirmation_token_id = fake.buyer.createToken(stripe.id, card)
  const confirmation = { client_secret, confirmation_token_id, customer_email: `${randomUUID()}@example.com` }
  return orders.call(confirmCheckout, confirmation, anonymous)
}

/** Waits until the only order has a status. */
function waitForOrder({ orders, shop }: StripeShop, status: string) {
  return eventually(async () => {
    const { items } = await orders.call(listOrders, {}, shop.seller)
    expect(items).toMatchObject([{ status }])
    return items[0] as NonNullable<(typeof items)[0]>
  })
}

test('takes the money of an order once, with our keys only', async () => {
  await using shop = await startStripeShop()
  await buy(shop, 'pm_card_visa')
  await waitForOrder(shop, 'paid')
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({ usd: 4200 })
  expect(shop.fake.keysNotOurs()).toEqual([])
  await expectMoneyToAddUp(shop.orders)
})

test('a declined card is a PaymentError, and its object can no longer be paid', async () => {
  await using shop = await startStripeShop()
  await expect(buy(shop, 'pm_card_visa_chargeDeclined')).rejects.toThrow(PaymentError)
  await waitForOrder(shop, 'pending')
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({})
  await eventually(() => {
    const intents = [...shop.fake.state(shop.stripe.id).paymentIntents.values()]
    expect(intents.map(({ status }) => status)).toEqual(['canceled'])
  })
})

test('the secret of a payment is in the reply to its buyer and nowhere else, and gone once the buyer has acted [payments 53]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { seller } = shop.shop
  const reply = await buy(shop, 'pm_card_authenticationRequired')
  const [intent] = [...fake.state(stripe.id).paymentIntents.values()]
  const secret = intent?.client_secret ?? 'none'
  expect(reply.payment_processor_metadata).toMatchObject({ intent_status: 'requires_action', intent_client_secret: secret })
  const { items } = await orders.call(listPayments, {}, seller)
  const replies = [await orders.call(getCheckout, { id: reply.id }, seller), await orders.call(listOrders, {}, seller), items]
  const operator = await orders.call(showPayment, { id: items[0]?.id ?? '' }, { kind: 'operator' })
  // The only column that has it is emptied by the result.
  const others = await readTables(orders, `table_name <> 'payments'`)
  expect(others).toContain(reply.id)
  for (const text of [JSON.stringify([replies, operator, orders.publishedEvents]), others]) expect(text).not.toContain(secret)
  fake.buyer.completeAction(stripe.id, intent?.id ?? '')
  await deliverEvent(shop, 'payment_intent.succeeded')
  await waitForOrder(shop, 'paid')
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 4200 })
  expect(await readTables(orders, 'true')).not.toContain(secret)
  expect(JSON.stringify(orders.publishedEvents)).not.toContain(secret)
})

test('a success that is reported before the progress pays the order, and the later report changes nothing [payments 39]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  await buy(shop, 'pm_success_sepaDebit')
  const [intent] = [...fake.state(stripe.id).paymentIntents.keys()]
  fake.bank.settlePayment(stripe.id, intent ?? '')
  await deliverEvent(shop, 'payment_intent.succeeded')
  const paid = await waitForOrder(shop, 'paid')
  await deliverEvent(shop, 'payment_intent.processing')
  await eventually(async () =>
    expect(await orders.rows(`select from provider_events where type = 'payment_intent.processing' and outcome = 'checked'`)).toHaveLength(
      1,
    ),
  )
  await eventually(async () => expect(await orders.rows('select from payments where next_check_at is not null')).toEqual([]))
  expect(await orders.rows('select state from payments')).toEqual([{ state: 'succeeded' }])
  expect(await waitForOrder(shop, 'paid')).toEqual(paid)
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 4200 })
})

test('a buyer can leave the page to pay, and comes back to the page of the checkout', async () => {
  await using shop = await startStripeShop()
  const { client_secret } = await buy(shop, 'pm_card_visa')
  const [created, confirmed] = ['POST /v1/payment_intents', confirm].map(
    (route) => shop.fake.calls.find((call) => call.account === shop.stripe.id && call.route === route)?.body ?? '',
  )
  expect(created).not.toContain('allow_redirects')
  expect(new URLSearchParams(confirmed).get('return_url')).toMatch(new RegExp(`/checkout/${client_secret}/confirmation$`))
})

test('an answer that was lost is found by a read, and the money is taken once [payments 27]', async () => {
  await using shop = await startStripeShop()
  shop.fake.inject({ route: confirm, moment: 'after', fault: { kind: 'reset' }, times: 2 })
  await buy(shop, 'pm_card_visa')
  await waitForOrder(shop, 'paid')
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({ usd: 4200 })
  await expectMoneyToAddUp(shop.orders)
})

test('an error that the provider keeps does not stop a buyer from becoming known to it', async () => {
  await using shop = await startStripeShop()
  const { orders, fake } = shop
  fake.inject({ route: 'POST /v1/customers', moment: 'before', fault: { kind: 'server-error', isKept: true } })
  const bought = buy(shop, 'pm_card_visa')
  await eventually(async () => {
    await asThisRelease(orders, 'update payments set next_check_at = now() where is_open and leased_until is null')
    expect(await orders.rows(`select from payments where state = 'succeeded'`)).toHaveLength(1)
  })
  await bought
  const keys = fake.calls.filter(({ account, route }) => account === shop.stripe.id && route === 'POST /v1/customers').map(({ key }) => key)
  expect(new Set(keys).size).toBe(2)
})

test('a kept error does not stop a declined payment from being canceled', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const cancel = 'POST /v1/payment_intents/:id/cancel'
  fake.inject({ route: cancel, moment: 'after', fault: { kind: 'server-error', isKept: true } })
  const declined = buy(shop, 'pm_card_visa_chargeDeclined').catch((error: unknown) => error)
  await eventually(async () => {
    await asThisRelease(orders, 'update payments set next_check_at = now() where is_open and leased_until is null')
    expect(await orders.rows('select state from payments')).toEqual([{ state: 'failed' }])
  })
  expect(await declined).toBeInstanceOf(PaymentError)
  const keys = fake.calls.filter(({ account, route }) => account === stripe.id && route === cancel).map(({ key }) => key)
  expect(new Set(keys).size).toBe(2)
})

test('refunds a part of an order once', async () => {
  await using shop = await startStripeShop()
  await buy(shop, 'pm_card_visa')
  const { id: order_id } = await waitForOrder(shop, 'paid')
  const refund = await shop.orders.call(createRefund, { order_id, amount: 1200, reason: 'customer_request' }, shop.shop.seller)
  expect(refund.status).toBe('succeeded')
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({ usd: 3000 })
  await expectMoneyToAddUp(shop.orders)
})

test('the first payment of a plan stores the method, and renewals charge it while the buyer is absent [payments 52]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const bought = await buyPlan(orders, shop.shop, { price: 1000, token: fake.buyer.createToken(stripe.id) })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  await advance(orders, shop.shop, after(active.current_period_end))
  await eventually(() => expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 2000 }))
  const [first, renewal] = fake.calls.filter(({ account, route }) => account === stripe.id && route === confirm)
  expect([first?.body, renewal?.body]).toEqual([
    expect.stringContaining('confirmation_token='),
    expect.stringMatching(/payment_method=pm_\w+&off_session=true/),
  ])
  const created = fake.calls.find(({ account, route }) => account === stripe.id && route === 'POST /v1/payment_intents')
  expect(created?.body).toContain('setup_future_usage=off_session')
  await expectMoneyToAddUp(orders)
})

test('the method of a payment that ends after its customer was deleted is detached at Stripe', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const token = fake.buyer.createToken(stripe.id, 'pm_success_sepaDebit')
  const { subscription } = await buyPlan(orders, shop.shop, { price: 1000, token })
  await orders.call(deleteCustomer, { id: subscription.customer_id }, shop.shop.seller)
  const [intent = ''] = [...fake.state(stripe.id).paymentIntents.keys()]
  fake.bank.settlePayment(stripe.id, intent)
  await asThisRelease(orders, 'update payments set next_check_at = now()')
  await eventually(async () => expect(await orders.rows('select status from payment_methods')).toEqual([{ status: 'detached' }]))
  await eventually(() => expect([...fake.state(stripe.id).methods.values()].map(({ customer }) => customer)).toEqual([null]))
  await eventually(() => expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 0 }))
  await expectMoneyToAddUp(orders)
})

test('a limit of calls while methods are detached pauses the account', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const bought = await buyPlan(orders, shop.shop, { price: 1000, token: fake.buyer.createToken(stripe.id) })
  await waitForSubscription(orders, bought, { status: 'active' })
  fake.inject({ route: 'POST /v1/payment_methods/:id/detach', moment: 'before', fault: { kind: 'rate-limit' } })
  await orders.call(deleteCustomer, { id: bought.subscription.customer_id }, shop.shop.seller)
  await eventually(async () => expect(await orders.rows('select from payment_accounts where paused_until is not null')).toHaveLength(1))
})

test('a renewal that needs the buyer takes no money, and is not tried again by itself [payments 54]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const bought = await buyPlan(orders, shop.shop, { price: 1000, token: fake.buyer.createToken(stripe.id) })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  const { cards } = fake.state(stripe.id)
  for (const id of cards.keys()) cards.set(id, 'pm_card_authenticationRequired')
  await advance(orders, shop.shop, after(active.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  const declined = await orders.rows(`select decline_kind, decline_code from payments where state = 'failed'`)
  expect(declined).toEqual([{ decline_kind: 'needs_buyer', decline_code: 'authentication_required' }])
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 1000 })
})

test('a customer that was deleted at the provider is made again, and pays', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { seller, product } = shop.shop
  const buyAgain = async () => {
    const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
    const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: fake.buyer.createToken(stripe.id) }
    await orders.call(confirmCheckout, confirmation, anonymous)
  }
  await buyAgain()
  await waitForOrder(shop, 'paid')
  for (const times of [1, 2]) {
    for (const id of fake.state(stripe.id).customers.keys()) fake.bank.deleteCustomer(stripe.id, id)
    await buyAgain()
    await eventually(() => expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 4200 * (1 + times) }))
  }
  expect(fake.keysNotOurs()).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('a renewal whose customer was deleted at the provider is declined, not tried for ever', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const bought = await buyPlan(orders, shop.shop, { price: 1000, token: fake.buyer.createToken(stripe.id) })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  for (const id of fake.state(stripe.id).customers.keys()) fake.bank.deleteCustomer(stripe.id, id)
  await advance(orders, shop.shop, after(active.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  expect(await orders.rows(`select decline_code from payments where state = 'failed'`)).toEqual([{ decline_code: 'method_detached' }])
})

const faults: Omit<FakeInjection, 'route'>[] = [
  { moment: 'after', fault: { kind: 'reset' }, times: 2 },
  { moment: 'after', fault: { kind: 'text', status: 502, text: '<html>Bad Gateway</html>' } },
  { moment: 'after', fault: { kind: 'truncated' } },
  { moment: 'before', fault: { kind: 'rate-limit' } },
  { moment: 'after', fault: { kind: 'delay', ms: 500 } },
]

test('whatever answer is lost, the money that moved equals the ledger [payments 27]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  for (const injection of faults) {
    for (const route of ['POST /v1/customers', 'POST /v1/payment_intents', confirm]) {
      fake.inject({ ...injection, route })
      await buy(shop, 'pm_card_visa')
    }
  }
  const total = faults.length * 3
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { limit: 100 }, seller.seller)
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: total }, () => 'paid'))
  })
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: total * 4200 })
  expect(fake.keysNotOurs()).toEqual([])
  await expectMoneyToAddUp(orders)
})
