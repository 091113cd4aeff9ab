import { NotPermitted } from '@quittance/contracts/errors'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// The service reads its environment when it starts.
vi.stubEnv('SANDBOX_TEST_CLOCK', 'off')

test('rejects an advance of the test clock while it is disabled', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const to = new Date(Date.now() + 86_400_000).toISOString()
  await expect(orders.call(advanceTestClock, { to }, seller)).rejects.toThrow(NotPermitted)
  expect(await orders.rows('select from organizations where clock_offset_ms > 0')).toHaveLength(0)
})
