import { authenticateCustomerSession, requestCustomerSession } from '@quittance/contracts/customer-codes'
import { requestEmailUpdate, verifyEmailUpdate, updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { createCustomer } from '@quittance/contracts/customers'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import { customerCaller } from '@quittance/testing/callers'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// The service reads its environment when it starts.
vi.stubEnv('MAIL_KEY', undefined)

test('without MAIL_KEY no code is created, and none is accepted', async () => {
  await using orders = await startOrders()
  const { organizationId: organization_id, seller } = await orders.shop()
  const request = { organization_id, email: 'ada@example.com' }
  const anonymous = { kind: 'anonymous' } as const
  await expect(orders.call(requestCustomerSession, request, anonymous)).rejects.toThrow(ServiceUnavailable)
  await expect(orders.call(authenticateCustomerSession, { ...request, code: 'AAAAAA' }, anonymous)).rejects.toThrow(ServiceUnavailable)
  const { id: customerId } = await orders.call(createCustomer, { email: 'ada@example.com' }, seller)
  const me = customerCaller({ organizationId: organization_id, customerId })
  const another = { email: 'grace@example.com' }
  await expect(orders.call(requestEmailUpdate, another, me)).rejects.toThrow(ServiceUnavailable)
  await expect(orders.call(updatePortalCustomer, another, me)).rejects.toThrow(ServiceUnavailable)
  await expect(orders.call(verifyEmailUpdate, { token: 'AAAAAA' }, me)).rejects.toThrow(ServiceUnavailable)
  expect(await orders.rows('select from customer_codes')).toEqual([])
})
