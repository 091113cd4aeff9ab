import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { listOrders } from '@quittance/contracts/orders'
import { getSubscription, listSubscriptions, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startStripeShop } from './stripe-shop.ts'
import { advance, after, buyPlan, createPlan, waitForSubscription } from './subscribe.ts'

const almostAll = { name: 'Almost all', type: 'percentage' as const, basis_points: 9_900, duration: 'once' as const }

test('a checkout of an amount that the provider does not take is 422, and nothing is written', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { seller, product } = shop.shop
  const discount = await orders.call(createDiscount, almostAll, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  const request = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: fake.buyer.createToken(stripe.id) }
  await expect(orders.call(confirmCheckout, request, { kind: 'anonymous' })).rejects.toThrow(RequestValidationError)
  expect(await orders.rows('select from orders')).toEqual([])
  expect(await orders.rows(`select status from checkouts where status <> 'open'`)).toEqual([])
})

test('a renewal of an amount that the provider does not take is carried over to the next order', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { seller } = shop.shop
  const plan = await createPlan(orders, seller, { price: 1000 })
  const bought = await buyPlan(orders, shop.shop, { productId: plan.id, token: fake.buyer.createToken(stripe.id) })
  const { id, current_period_end } = await waitForSubscription(orders, bought, { status: 'active' })
  const discount = await orders.call(createDiscount, almostAll, seller)
  await orders.call(updateSubscription, { id, discount_id: discount.id }, seller)
  await advance(orders, bought, after(current_period_end, 32))
  const { items } = await eventually(async () => {
    const list = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(list.items.map(({ status, total_amount }) => [status, total_amount])).toEqual([
      ['paid', 1_000],
      ['paid', 0],
      ['paid', 1_010],
    ])
    return list
  })
  expect(items[1]?.items).toMatchObject([{ amount: 1_000 }, { label: 'Carried over to the next order', amount: -10, proration: true }])
  expect(items[2]?.items).toMatchObject([{ amount: 1_000 }, { label: 'Plan 1000', amount: 10, proration: true }])
  expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 2_010 })
  await expectMoneyToAddUp(orders)
})

test('a first period that a discount makes free stores the card, and the renewal charges it', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { seller } = shop.shop
  const plan = await createPlan(orders, seller, { price: 1000 })
  const discount = await orders.call(createDiscount, { ...almostAll, basis_points: 10_000 }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id], discount_id: discount.id }, seller)
  const confirm = (card: string) => {
    const confirmation_token_id = fake.buyer.createToken(stripe.id, card)
    return orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com', confirmation_token_id }, { kind: 'anonymous' })
  }
  await expect(confirm('pm_card_visa_chargeDeclined')).rejects.toThrow(PaymentError)
  expect(await orders.rows(`select from subscriptions where status <> 'incomplete_expired'`)).toEqual([])
  expect((await confirm('pm_card_visa')).status).toBe('confirmed')
  const { items } = await eventually(async () => {
    const list = await orders.call(listSubscriptions, {}, seller)
    expect(list.items.filter(({ status }) => status === 'active')).toHaveLength(1)
    return list
  })
  const subscription = items.find(({ status }) => status === 'active')
  expect(await orders.rows('select is_default from payment_methods')).toEqual([{ is_default: true }])
  await advance(orders, { seller }, after(subscription?.current_period_end ?? null))
  await eventually(() => expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 1_000 }))
  await expectMoneyToAddUp(orders)
})

test('an upgrade whose first period a discount makes free stores the card, and the renewal charges it', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { seller } = shop.shop
  const free = await buyPlan(orders, shop.shop, { price: 0 })
  const { id } = free.subscription
  const plan = await createPlan(orders, seller, { price: 1000 })
  const discount = await orders.call(createDiscount, { ...almostAll, basis_points: 10_000 }, seller)
  const request = { products: [plan.id], subscription_id: id, discount_id: discount.id }
  const { client_secret } = await orders.call(createCheckout, request, seller)
  const confirm = (card: string) => {
    const confirmation_token_id = fake.buyer.createToken(stripe.id, card)
    return orders.call(confirmCheckout, { client_secret, confirmation_token_id }, { kind: 'anonymous' })
  }
  await expect(confirm('pm_card_visa_chargeDeclined')).rejects.toThrow(PaymentError)
  expect(await orders.call(getSubscription, { id }, seller)).toMatchObject({ status: 'active', product_id: free.product.id })
  await confirm('pm_card_visa')
  const { current_period_end } = await waitForSubscription(orders, free, { product_id: plan.id, amount: 0 })
  await advance(orders, free, after(current_period_end))
  await eventually(() => expect(fake.moneyMoved(stripe.id)).toEqual({ usd: 1_000 }))
  await expectMoneyToAddUp(orders)
})
