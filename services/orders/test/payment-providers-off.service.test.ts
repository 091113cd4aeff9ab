import { NotPermitted } from '@quittance/contracts/errors'
import { createPaymentAccount, listPaymentAccounts } from '@quittance/contracts/payment-accounts'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// In a separate file, because settings are read once per process.
vi.stubEnv('PAYMENT_PROVIDERS', undefined)

test('connects no account where the operator did not enable the provider', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const request = { provider: 'stripe', mode: 'test', secret_key: 'rk_test_1234567890' } as const
  const created = orders.call(createPaymentAccount, request, seller)
  await expect(created).rejects.toThrow(NotPermitted)
  await expect(created).rejects.toThrow('PAYMENT_PROVIDERS')
  expect((await orders.call(listPaymentAccounts, {}, seller)).items).toEqual([])
})
