import { randomBytes } from 'node:crypto'
import { updatePaymentAccount } from '@quittance/contracts/payment-accounts'
import { openSecret } from '@quittance/runtime/encryption'
import { eventually } from '@quittance/testing/eventually'
import { expect, test, vi } from 'vitest'
import { secretsKey, sell, startStripeShop } from './stripe-shop.ts'

const newKey = randomBytes(32)

test('after a change of SECRETS_KEY payment accounts open with the new key alone, and sell with it', async () => {
  vi.stubEnv('SECRETS_KEY', secretsKey)
  await using shop = await startStripeShop()
  const { orders, account, stripe } = shop
  await orders.call(updatePaymentAccount, { id: account.id, webhook_secret: 'whsec_second' }, shop.shop.seller)
  vi.stubEnv('SECRETS_KEY', `${newKey.toString('base64')},${secretsKey}`)
  await orders.restart()
  const options = { keys: [newKey], context: account.id }
  await eventually(async () => {
    const [row] = await orders.rows<{ credentials_sealed: string; webhook_secrets_sealed: string[] }>('select * from payment_accounts')
    expect(openSecret(row?.credentials_sealed ?? '', options)).toBe(stripe.apiKey)
    const secrets = row?.webhook_secrets_sealed.map((sealed) => openSecret(sealed, options))
    expect(secrets).toEqual(['whsec_second', stripe.webhookSecret])
  })
  await eventually(async () => {
    const text = await (await fetch(`http://127.0.0.1:${orders.healthPort()}/metrics`)).text()
    for (const column of ['credentials_sealed', 'webhook_secrets_sealed'])
      expect(text).toMatch(new RegExp(`^secrets_under_old_keys{.*column="payment_accounts.${column}".*} 0$`, 'm'))
  })
  vi.stubEnv('SECRETS_KEY', newKey.toString('base64'))
  await orders.restart()
  expect((await sell(shop)).order.status).toBe('paid')
})
