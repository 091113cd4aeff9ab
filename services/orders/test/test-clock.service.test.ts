import { randomUUID } from 'node:crypto'
import { RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'
import { advance, after, buyPlan, replaceMethods, subscribe } from './subscribe.ts'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

test('a clock that is ahead is the start time of new subscriptions', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const to = inDays(100)
  expect(await orders.call(advanceTestClock, { to }, shop.seller)).toEqual({ organization_id: shop.organizationId, now: to })
  const { subscription } = await buyPlan(orders, shop)
  const ahead = Date.parse(subscription.current_period_start) - Date.parse(to)
  expect(ahead).toBeGreaterThanOrEqual(0)
  expect(ahead).toBeLessThan(60_000)
})

test('a clock only advances, by at most two years, and errors name the field', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  for (const to of [inDays(-1), inDays(800)]) {
    const rejection = orders.call(advanceTestClock, { to }, seller)
    await expect(rejection).rejects.toThrow(RequestValidationError)
    await expect(rejection).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'to'], type: 'value_error' }] } })
  }
  await expect(orders.call(advanceTestClock, { to: '2027-01-01T00:00:00' }, seller)).rejects.toThrow(RequestValidationError)
})

test('a clock belongs to one organization: subscriptions of others do not move', async () => {
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

test('a renewal that is being settled while the clock advances is followed by the next one', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  await replaceMethods(orders, 'ctoken_slow')
  const { current_period_end } = subscribed.subscription
  await advance(orders, subscribed, after(current_period_end))
  await eventually(async () => expect(await orders.rows(`select 1 from payments where state = 'processing'`)).toHaveLength(1))
  // The settlement has read the clock, and cannot commit.
  const release = await orders.holdTransaction('lock table outbox_messages in share mode')
  await eventually(async () => expect(await orders.rows(blockedSettlement)).toHaveLength(1))
  const advanced = advance(orders, subscribed, after(current_period_end, 45))
  await Promise.race([advanced, eventually(async () => expect(await orders.rows(blockedLock)).toHaveLength(1))])
  await release()
  await advanced
  await eventually(async () => {
    const { current_period_start: start } = await orders.call(getSubscription, { id: subscribed.subscription.id }, subscribed.seller)
    expect(Date.parse(start)).toBeGreaterThan(Date.parse(current_period_end ?? ''))
  })
})

const blocked = (query: string) =>
  `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%${query}%'`
const blockedSettlement = blocked('insert into outbox_messages')
const blockedLock = blocked('from subscriptions where organization_id')

test('returns 503 for the clock of an organization that has not been received yet', async () => {
  await using orders = await startOrders()
  const rejection = orders.call(advanceTestClock, { to: inDays(1) }, organizationCaller(randomUUID()))
  await expect(rejection).rejects.toThrow(ServiceUnavailable)
})
