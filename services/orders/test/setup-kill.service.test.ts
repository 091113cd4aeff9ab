import { randomUUID } from 'node:crypto'
import { addCustomerPaymentMethod, listCustomerPaymentMethods } from '@quittance/contracts/customer-payment-methods'
import { createCustomer } from '@quittance/contracts/customers'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { startHangingReplica } from './start-replica.ts'

/** Lets time pass: leases have expired, and calls under way at the kill have ended. */
async function passTime(orders: OrdersUnderTest): Promise<void> {
  await orders.rows(`update payment_setups set leased_until = null, sent_at = sent_at - interval '3 minutes',
    first_sent_at = first_sent_at - interval '3 minutes', next_check_at = now() where settled_at is null returning 1`)
}

/** Adds methods of different customers until a request reaches the replica, which hangs in its call. Returns the customers. */
async function addUntilHanging(orders: OrdersUnderTest, { seller, organizationId }: Shop, isHanging: () => boolean) {
  const buyers: ReturnType<typeof customerCaller>[] = []
  while (!isHanging()) {
    const { id: customerId } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, seller)
    const buyer = customerCaller({ organizationId, customerId })
    buyers.push(buyer)
    const added = orders.call(addCustomerPaymentMethod, { confirmation_token_id: 'ctoken_ok' }, buyer).catch(() => {})
    const hanging = eventually(() => expect(isHanging()).toBe(true))
    await Promise.race([added, hanging])
  }
  return buyers
}

for (const call of ['ensurePayer', 'prepare', 'submit'] as const) {
  for (const moment of ['before', 'after'] as const) {
    test(`a kill ${moment} ${call} of a setup is executed leads to one stored method [payments 11]`, async () => {
      await using orders = await startOrders()
      const shop = await orders.shop()
      await using replica = await startHangingReplica(orders, { call, moment })
      const buyers = await addUntilHanging(orders, shop, () => replica.hanging().length > 0)
      await replica.kill()
      await eventually(async () => {
        await passTime(orders)
        expect(await orders.rows(`select from payment_setups where state = 'succeeded'`)).toHaveLength(buyers.length)
      })
      const objects = await orders.rows(`select ours, status from sandbox_objects where kind = 'setup'`)
      expect(objects).toHaveLength(buyers.length)
      expect(objects.every(({ status }) => status === 'succeeded')).toBe(true)
      for (const buyer of buyers) {
        const { items } = await orders.call(listCustomerPaymentMethods, {}, buyer)
        expect(items).toMatchObject([{ default: true }])
      }
    })
  }
}
