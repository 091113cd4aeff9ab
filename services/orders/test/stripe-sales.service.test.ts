import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { listOrders } from '@quittance/contracts/orders'
import { receiveProviderEvent } from '@quittance/contracts/provider-events'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import type { FakeInjection } from '@quittance/testing/stripe/fake-faults'
import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { advance, after, buyPlan, waitForSubscription } from './subscribe.ts'
import { startStripeShop, type StripeShop } from './stripe-shop.ts'

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

/** Delivers the latest event of a type, signed by the provider. */
async function deliver({ orders, fake, stripe, account }: StripeShop, type: string): Promise<void> {
  const payload = JSON.stringify(
    fake.state(stripe.id).events.findLast((event) => event.type === type),
    null,
    2,
  )
  const signature = signPayload(payload, { secrets: [stripe.webhookSecret], timestamp: Math.floor(Date.now() / 1000) })
  const headers = { 'stripe-signature': signature }
  await orders.call(receiveProviderEvent, { id: account.id, headers, body: Buffer.from(payload).toString('base64') }, anonymous)
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

test('an order is paid after the buyer took the step of the bank', async () => {
  await using shop = await startStripeShop()
  const reply = await buy(shop, 'pm_card_authenticationRequired')
  expect(reply).toMatchObject({ payment_processor_metadata: { intent_status: 'requires_action' } })
  const [intent] = [...shop.fake.state(shop.stripe.id).paymentIntents.keys()]
  const secret = shop.fake.state(shop.stripe.id).paymentIntents.get(intent ?? '')?.client_secret ?? ''
  expect(JSON.stringify(shop.orders.publishedEvents)).not.toContain(secret)
  shop.fake.buyer.completeAction(shop.stripe.id, intent ?? '')
  await deliver(shop, 'payment_intent.succeeded')
  await waitForOrder(shop, 'paid')
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({ usd: 4200 })
})

test('an answer that was lost is found by a read, and the money is taken once [payments 27]', async () => {
  await using shop = await startStripeShop()
  shop.fake.inject({ route: confirm, moment: 'after', fault: { kind: 'reset' }, times: 2 })
  await buy(shop, 'pm_card_visa')
  await waitForOrder(shop, 'paid')
  expect(shop.fake.moneyMoved(shop.stripe.id)).toEqual({ usd: 4200 })
  await expectMoneyToAddUp(shop.orders)
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
