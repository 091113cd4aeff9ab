import { confirmCheckout, createCheckout, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { orderPaid } from '@quittance/contracts/orders'
import { listPayments } from '@quittance/contracts/payments'
import { createRefund, orderRefunded } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startStripeShop, type StripeShop } from './stripe-shop.ts'

const anonymous = { kind: 'anonymous' } as const

async function openCheckout({ orders, shop }: StripeShop) {
  return orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
}

function confirm({ orders, fake, stripe }: StripeShop, client_secret: string, card: string) {
  const confirmation_token_id = fake.buyer.createToken(stripe.id, card)
  return orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com', confirmation_token_id }, anonymous)
}

/** Money of all orders that the ledger has not returned, by currency. */
async function readLedger({ orders }: StripeShop): Promise<Record<string, number>> {
  const rows = await orders.rows<{ currency: string; sum: number }>(
    `select currency, sum(case when debit = 'provider' then amount else 0 end - case when credit = 'provider' then amount else 0 end)::int as sum
     from ledger_entries group by currency`,
  )
  return Object.fromEntries(rows.map(({ currency, sum }) => [currency, sum]))
}

test('a checkout is paid through the account of its seller, and the money that moved equals the ledger', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { client_secret, id } = await openCheckout(shop)
  expect(await confirm(shop, client_secret, 'pm_card_visa')).toMatchObject({ status: 'confirmed' })
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ checkout_id: id, total_amount: 4200, status: 'paid' })
  await eventually(async () =>
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'succeeded' }),
  )
  const { items } = await orders.call(listPayments, {}, shop.shop.seller)
  expect(items).toMatchObject([{ provider: 'stripe', mode: 'test', status: 'succeeded', amount: 4200 }])
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 4200 })
  expect(await readLedger(shop)).toEqual({ usd: 4200 })
  expect(fake.keysNotOurs()).toEqual([])
})

test('a declined card leaves the checkout open, and another card pays it once', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { client_secret } = await openCheckout(shop)
  await expect(confirm(shop, client_secret, 'pm_card_visa_chargeDeclinedInsufficientFunds')).rejects.toThrow(PaymentError)
  await eventually(async () =>
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' }),
  )
  await confirm(shop, client_secret, 'pm_card_visa')
  await orders.nextEvent(orderPaid)
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 4200 })
  expect(await readLedger(shop)).toEqual({ usd: 4200 })
})

test('a refund returns the money at Stripe once', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { client_secret } = await openCheckout(shop)
  await confirm(shop, client_secret, 'pm_card_visa')
  const { id: order_id } = await orders.nextEvent(orderPaid)
  await orders.call(createRefund, { order_id, reason: 'customer_request', amount: 1200 }, shop.shop.seller)
  expect(await orders.nextEvent(orderRefunded)).toMatchObject({ id: order_id, refunded_amount: 1200 })
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 3000 })
  expect(await readLedger(shop)).toEqual({ usd: 3000 })
})

test('an answer that is lost charges once: the payment is found by a read', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  fake.inject({ route: 'POST /v1/payment_intents/:id/confirm', moment: 'after', fault: { kind: 'reset' } })
  const { client_secret } = await openCheckout(shop)
  await confirm(shop, client_secret, 'pm_card_visa')
  await orders.nextEvent(orderPaid)
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 4200 })
  expect(await readLedger(shop)).toEqual({ usd: 4200 })
})
