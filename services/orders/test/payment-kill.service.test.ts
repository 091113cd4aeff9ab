import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { orderPaid } from '@quittance/contracts/orders'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { startHangingReplica } from './start-replica.ts'

/** Lets time pass: leases have expired, and calls under way at the kill have ended. */
async function passTime(orders: OrdersUnderTest): Promise<void> {
  await orders.rows(`update payments set leased_until = null, sent_at = sent_at - interval '3 minutes',
    first_sent_at = first_sent_at - interval '3 minutes', next_check_at = now() where is_open returning 1`)
}

/** Confirms checkouts until one reaches the replica, which hangs in its call. Returns the number of checkouts. */
async function confirmUntilHanging(orders: OrdersUnderTest, { seller, product }: Shop, isHanging: () => boolean): Promise<number> {
  for (let count = 1; ; count++) {
    const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
    const confirmation = { client_secret, customer_email: `${count}@example.com`, confirmation_token_id: 'ctoken_ok' }
    const confirmed = orders.call(confirmCheckout, confirmation, { kind: 'anonymous' }).then(
      () => true,
      () => true,
    )
    const handled = eventually(() => {
      if (!isHanging()) throw new Error('not called yet')
      return true
    })
    await Promise.race([confirmed, handled])
    if (isHanging()) return count
  }
}

for (const call of ['ensurePayer', 'prepare', 'submit'] as const) {
  for (const moment of ['before', 'after'] as const) {
    test(`a kill ${moment} ${call} is executed leads to one charge and one paid order [payments 11]`, async () => {
      await using orders = await startOrders()
      const shop = await orders.shop()
      await using replica = await startHangingReplica(orders, { call, moment })
      const count = await confirmUntilHanging(orders, shop, () => replica.hanging().length > 0)
      await replica.kill()
      await eventually(async () => {
        await passTime(orders)
        expect(await orders.rows(`select from payments where state = 'succeeded'`)).toHaveLength(count)
      })
      const charges = await orders.rows(`select ours from sandbox_objects where kind = 'charge' and status = 'succeeded'`)
      expect(new Set(charges.map(({ ours }) => ours)).size).toBe(count)
      expect(charges).toHaveLength(count)
      await eventually(() => expect(orders.publishedEvents.filter(({ subject }) => subject === orderPaid.subject)).toHaveLength(count))
      await expectMoneyToAddUp(orders)
    })
  }
}
