import { NotPermitted } from '@quittance/contracts/errors'
import { createPaymentAccount, listPaymentAccounts } from '@quittance/contracts/payment-accounts'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// The service reads its environment when it starts.
vi.stubEnv('PAYMENT_PROVIDERS', 'stripe')
vi.stubEnv('SECRETS_KEY', undefined)

test('connects no account without SECRETS_KEY', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const request = { provider: 'stripe', mode: 'test', secret_key: 'rk_test_1234567890' } as const
  const created = orders.call(createPaymentAccount, request, seller)
  await expect(created).rejects.toThrow(NotPermitted)
  await expect(created).rejects.toThrow('SECRETS_KEY is not set')
  expect((await orders.call(listPaymentAccounts, {}, seller)).items).toEqual([])
})
