import { NotPermitted } from '@quittance/contracts/errors'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// Settings are read once per process, so this stands in a file of its own.
vi.stubEnv('SANDBOX_TEST_CLOCK', 'off')

test('where the test clock is off, nobody can advance it', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const to = new Date(Date.now() + 86_400_000).toISOString()
  await expect(orders.call(advanceTestClock, { to }, seller)).rejects.toThrow(NotPermitted)
  expect(await orders.rows('select from organizations where clock_offset_ms > 0')).toHaveLength(0)
})
