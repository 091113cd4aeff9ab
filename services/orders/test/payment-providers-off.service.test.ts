import { NotPermitted } from '@quittance/contracts/errors'
import { checkPaymentAccount, createPaymentAccount, listPaymentAccounts, updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { expect, test, vi } from 'vitest'
import { startOrders } from './start-orders.ts'

// The service reads its environment when it starts.
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

test('an account of a provider that the operator disabled is neither checked nor given another key', async () => {
  await using orders = await startOrders()
  const { seller, organizationId } = await orders.shop()
  const [account] = await orders.rows<{ id: string }>(
    `insert into payment_accounts (id, created_at, organization_id, provider, mode, provider_account)
     values (gen_random_uuid(), now(), $1, 'stripe', 'test', 'acct_1') returning id`,
    [organizationId],
  )
  const id = account?.id ?? ''
  await expect(orders.call(checkPaymentAccount, { id }, seller)).rejects.toThrow(NotPermitted)
  await expect(orders.call(updatePaymentAccount, { id, secret_key: 'rk_test_1234567890' }, seller)).rejects.toThrow(NotPermitted)
})
