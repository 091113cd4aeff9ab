import { randomUUID } from 'node:crypto'
import { RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'
import { after, buyPlan, subscribe } from './subscribe.ts'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

test('a clock that is ahead is the time new subscriptions begin at', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const to = inDays(100)
  expect(await orders.call(advanceTestClock, { to }, shop.seller)).toEqual({ organization_id: shop.organizationId, now: to })
  const { subscription } = await buyPlan(orders, shop)
  const ahead = Date.parse(subscription.current_period_start) - Date.parse(to)
  expect(ahead).toBeGreaterThanOrEqual(0)
  expect(ahead).toBeLessThan(60_000)
})

test('a clock goes forward only, two years at most, and the field is named', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  for (const to of [inDays(-1), inDays(800)]) {
    const refused = orders.call(advanceTestClock, { to }, seller)
    await expect(refused).rejects.toThrow(RequestValidationError)
    await expect(refused).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'to'], type: 'value_error' }] } })
  }
  await expect(orders.call(advanceTestClock, { to: '2027-01-01T00:00:00' }, seller)).rejects.toThrow(RequestValidationError)
})

test('a clock is one organization’s: the subscriptions of others stay where they are', async () => {
  await using orders = await startOrders()
  const mine = await subscribe(orders)
  const other = await subscribe(orders)
  const person = userCaller({ userId: randomUUID(), organizationIds: [mine.organizationId] })
  const to = after(mine.subscription.current_period_end)
  await orders.call(advanceTestClock, { organization_id: mine.organizationId, to }, person)
  await expect(orders.call(advanceTestClock, { organization_id: other.organizationId, to }, person)).rejects.toThrow(RequestValidationError)
  const { id, current_period_end } = other.subscription
  expect(await orders.call(getSubscription, { id }, other.seller)).toMatchObject({ current_period_end })
  expect(await orders.rows('select from organizations where clock_offset_ms > 0')).toHaveLength(1)
})

test('the clock of an organization orders has not heard of yet cannot be advanced yet', async () => {
  await using orders = await startOrders()
  const refused = orders.call(advanceTestClock, { to: inDays(1) }, organizationCaller(randomUUID()))
  await expect(refused).rejects.toThrow(ServiceUnavailable)
})
