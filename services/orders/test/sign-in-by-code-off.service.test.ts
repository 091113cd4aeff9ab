import { authenticateCustomerSession, requestCustomerSession } from '@quittance/contracts/customer-codes'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// The service reads its environment when it starts.
vi.stubEnv('MAIL_KEY', undefined)

test('without MAIL_KEY no code is created, and none is accepted', async () => {
  await using orders = await startOrders()
  const { organizationId: organization_id } = await orders.shop()
  const request = { organization_id, email: 'ada@example.com' }
  const anonymous = { kind: 'anonymous' } as const
  await expect(orders.call(requestCustomerSession, request, anonymous)).rejects.toThrow(ServiceUnavailable)
  await expect(orders.call(authenticateCustomerSession, { ...request, code: 'AAAAAA' }, anonymous)).rejects.toThrow(ServiceUnavailable)
  expect(await orders.rows('select from customer_codes')).toEqual([])
})
