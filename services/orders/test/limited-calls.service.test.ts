import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { listOrders } from '@quittance/contracts/orders'
import { createRefund } from '@quittance/contracts/refunds'
import { startService } from '@quittance/runtime/service'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { orders as service } from '../src/service.ts'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { startStripeShop, type StripeShop } from './stripe-shop.ts'

const confirmation = 'POST /v1/payment_intents/:id/confirm'

async function buy({ orders, fake, stripe, shop }: StripeShop, email: string): Promise<void> {
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const confirmation_token_id = fake.buyer.createToken(stripe.id)
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id, customer_email: email }, { kind: 'anonymous' })
}

const getCalls = ({ fake, stripe }: StripeShop) => fake.calls.filter(({ account }) => account === stripe.id)

test('a limit of the provider pauses the account at every replica, and nothing is declined [payments 34]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake } = shop
  const second = await startService(service, { config: orders.config })
  try {
    fake.inject({ route: confirmation, moment: 'before', fault: { kind: 'rate-limit', retryAfterSeconds: 5 } })
    const first = buy(shop, '0@example.com')
    const ends = await eventually(async () => {
      const [paused] = await orders.rows<{ ends: number }>(
        'select extract(epoch from paused_until)::float * 1000 as ends from payment_accounts where paused_until > now()',
      )
      if (!paused) throw new Error('not paused yet')
      return paused.ends
    })
    // The only payment has recorded its answer: no call is in progress.
    const before = getCalls(shop).length
    await Promise.all([first, ...Array.from({ length: 5 }, (_, index) => buy(shop, `${index + 1}@example.com`))])
    await eventually(async () => {
      const { items } = await orders.call(listOrders, {}, shop.shop.seller)
      expect(items.map(({ status }) => status)).toEqual(Array(6).fill('paid'))
    })
    const calls = getCalls(shop).slice(before)
    expect(calls.length).toBeGreaterThan(15)
    expect(calls.filter(({ at }) => at < Math.floor(ends))).toEqual([])
  } finally {
    await second.stop()
  }
  expect(await orders.rows(`select from payments where state <> 'succeeded' or decline_code is not null`)).toEqual([])
  expect(await orders.rows('select submission from payments group by 1')).toEqual([{ submission: 1 }])
  await expectMoneyToAddUp(orders)
})

test('a limit within a minute of the last pause doubles it, and refunds wait too', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, shop: seller } = shop
  await buy(shop, 'ada@example.com')
  const { items } = await eventually(async () => {
    const page = await orders.call(listOrders, {}, seller.seller)
    expect(page.items).toMatchObject([{ status: 'paid' }])
    return page
  })
  fake.inject({ route: 'POST /v1/refunds', moment: 'before', fault: { kind: 'rate-limit' }, times: 3 })
  const refund = { order_id: items[0]?.id ?? '', reason: 'other', amount: 100 } as const
  await orders.call(createRefund, refund, seller.seller)
  await eventually(async () => {
    expect(await orders.rows(`select state from refunds`)).toEqual([{ state: 'succeeded' }])
  })
  expect(await orders.rows(`select settings->>'pause_ms' as pause from payment_accounts`)).toEqual([{ pause: '4000' }])
  const [first, second, third, last] = getCalls(shop).filter(({ route }) => route === 'POST /v1/refunds')
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(2_000)
  expect((last?.at ?? 0) - (third?.at ?? 0)).toBeGreaterThanOrEqual(4_000)
  await asThisRelease(orders, `update payment_accounts set paused_until = now() + interval '1 hour'`)
  const before = getCalls(shop).length
  expect(await orders.call(createRefund, refund, seller.seller)).toMatchObject({ status: 'pending' })
  expect(getCalls(shop).length).toBe(before)
})
