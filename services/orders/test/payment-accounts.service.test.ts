import { randomUUID } from 'node:crypto'
import { Conflict, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  checkPaymentAccount,
  createPaymentAccount,
  deletePaymentAccount,
  getPaymentAccount,
  listPaymentAccounts,
  PaymentAccountMismatch,
  updatePaymentAccount,
} from '@quittance/contracts/payment-accounts'
import { openSecret } from '@quittance/runtime/encryption'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { buildAccountRequest, countCalls, secretsKey, startStripeShop } from './stripe-shop.ts'

const keys = [Buffer.from(secretsKey, 'base64')]

test('connects an account after a check of its key, and shows the last four characters only [payments 58]', async () => {
  await using shop = await startStripeShop()
  const { account, stripe, orders } = shop
  expect(account).toMatchObject({
    provider: 'stripe',
    mode: 'test',
    provider_account: stripe.id,
    status: 'active',
    is_default: true,
    secret_key_last4: stripe.apiKey.slice(-4),
    webhook_secret_last4: [stripe.webhookSecret.slice(-4)],
    health: { is_healthy: true, lacking: [], detail: null },
    events_path: `/v1/payment-accounts/${account.id}/events`,
  })
  expect(await orders.call(getPaymentAccount, { id: account.id }, shop.shop.seller)).toEqual(account)
  expect((await orders.call(listPaymentAccounts, {}, shop.shop.seller)).items).toEqual([account])
  expect(await orders.call(checkPaymentAccount, { id: account.id }, shop.shop.seller)).toMatchObject({ health: { is_healthy: true } })
})

test('credentials are in no reply, event or unsealed column, and do not open under another id [payments 58]', async () => {
  await using shop = await startStripeShop()
  const { account, stripe, orders } = shop
  const tables = await orders.rows<{ text: string }>(
    `select string_agg(t::text, '\n') as text from (
      select query_to_xml(format('select * from %I', table_name), true, false, '')::text from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE') t`,
  )
  const visible = JSON.stringify([tables, account, orders.publishedEvents])
  expect(visible).toContain(account.id)
  for (const secret of [stripe.apiKey, stripe.webhookSecret]) expect(visible).not.toContain(secret)
  const [row] = await orders.rows<{ credentials_sealed: string }>('select credentials_sealed from payment_accounts')
  expect(openSecret(row?.credentials_sealed ?? '', { keys, context: account.id })).toBe(stripe.apiKey)
  expect(() => openSecret(row?.credentials_sealed ?? '', { keys, context: randomUUID() })).toThrow()
})

test('rejects a key of another mode before any call, and one of another account [payments 57]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, account } = shop
  const { seller } = shop.shop
  const live = fake.createAccount({ mode: 'live' })
  const before = countCalls(shop)
  const request = buildAccountRequest(live)
  await expect(orders.call(createPaymentAccount, { ...request, mode: 'test' }, seller)).rejects.toThrow(PaymentAccountMismatch)
  await expect(orders.call(updatePaymentAccount, { id: account.id, secret_key: live.apiKey }, seller)).rejects.toThrow(
    PaymentAccountMismatch,
  )
  await expect(orders.call(updatePaymentAccount, { id: account.id, publishable_key: 'pk_live_1' }, seller)).rejects.toThrow(
    PaymentAccountMismatch,
  )
  expect(countCalls(shop)).toBe(before)
  const other = fake.createAccount()
  await expect(orders.call(updatePaymentAccount, { id: account.id, secret_key: other.apiKey }, seller)).rejects.toThrow(
    PaymentAccountMismatch,
  )
  const state = fake.state(other.id)
  state.isLive = true
  await expect(orders.call(createPaymentAccount, buildAccountRequest(other), seller)).rejects.toThrow(PaymentAccountMismatch)
  expect(await orders.rows('select provider_account from payment_accounts')).toEqual([{ provider_account: shop.stripe.id }])
})

test('rejects a key that is not one, was revoked, or is connected already', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account } = shop
  const { seller } = shop.shop
  const noKey = { id: account.id, publishable_key: 'no-such-key' }
  await expect(orders.call(updatePaymentAccount, noKey, seller)).rejects.toThrow(RequestValidationError)
  const create = (secret_key: string) => orders.call(createPaymentAccount, { provider: 'stripe', mode: 'test', secret_key }, seller)
  for (const secret_key of ['pk_test_123456', '4242424242424242', 'rk_test_unknown', stripe.apiKey]) {
    await expect(create(secret_key)).rejects.toThrow(RequestValidationError)
  }
  fake.inject({ route: 'GET /v1/account', moment: 'before', fault: { kind: 'rate-limit' } })
  await expect(create(fake.createAccount().apiKey)).rejects.toThrow('cannot be reached')
})

test('replaces a key and accepts two webhook secrets for a day', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account } = shop
  const { seller } = shop.shop
  const key = fake.createKey(stripe.id)
  const update = (change: object) => orders.call(updatePaymentAccount, { id: account.id, ...change }, seller)
  expect(await update({ secret_key: key })).toMatchObject({ secret_key_last4: key.slice(-4) })
  expect(await update({ webhook_secret: 'whsec_second' })).toMatchObject({ webhook_secret_last4: ['cond', stripe.webhookSecret.slice(-4)] })
  expect(await update({ webhook_secret: 'whsec_second' })).toMatchObject({ webhook_secret_last4: ['cond', stripe.webhookSecret.slice(-4)] })
  await orders.rows(
    `update payment_accounts set settings = settings || jsonb_build_object('webhook_secret_added_at', now() - interval '25 hours')`,
  )
  expect(await orders.call(getPaymentAccount, { id: account.id }, seller)).toMatchObject({ webhook_secret_last4: ['cond'] })
})

test('has one default account per organization', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, account } = shop
  const { seller } = shop.shop
  const second = await orders.call(createPaymentAccount, buildAccountRequest(fake.createAccount()), seller)
  expect(second.is_default).toBe(false)
  const third = await orders.call(createPaymentAccount, { ...buildAccountRequest(fake.createAccount()), is_default: true }, seller)
  expect(third.is_default).toBe(true)
  await orders.call(updatePaymentAccount, { id: second.id, is_default: true }, seller)
  const { items } = await orders.call(listPaymentAccounts, {}, seller)
  expect(items.filter((each) => each.is_default).map(({ id }) => id)).toEqual([second.id])
  await orders.call(updatePaymentAccount, { id: account.id, status: 'draining' }, seller)
  await expect(orders.call(updatePaymentAccount, { id: account.id, is_default: true }, seller)).rejects.toThrow(Conflict)
})

test('reports missing permissions and a revoked key, and calls nothing for another organization', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account } = shop
  const { seller } = shop.shop
  fake.restrict(stripe.id, 'refunds')
  expect(await orders.call(checkPaymentAccount, { id: account.id }, seller)).toMatchObject({
    health: { is_healthy: false, lacking: ['rak_refunds_read'] },
  })
  fake.revokeKeys(stripe.id)
  expect(await orders.call(checkPaymentAccount, { id: account.id }, seller)).toMatchObject({
    health: { is_healthy: false, detail: 'Stripe rejected the API key.' },
  })
  const stranger = organizationCaller(randomUUID())
  const before = countCalls(shop)
  const requests = [getPaymentAccount, deletePaymentAccount, checkPaymentAccount, updatePaymentAccount]
  for (const operation of requests) await expect(orders.call(operation, { id: account.id }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listPaymentAccounts, {}, stranger)).items).toEqual([])
  expect(countCalls(shop)).toBe(before)
})

test('deletes an account that was never used, and drains any other', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, account } = shop
  const { seller, organizationId } = shop.shop
  const unused = await orders.call(createPaymentAccount, buildAccountRequest(fake.createAccount()), seller)
  await orders.call(deletePaymentAccount, { id: unused.id }, seller)
  await orders.rows(
    `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, handled_at)
     values ($1, $2, 'evt_1', 'refund.created', 'refund', 're_1', 'push', now(), now())`,
    [organizationId, account.id],
  )
  await orders.call(deletePaymentAccount, { id: account.id }, seller)
  expect((await orders.call(listPaymentAccounts, {}, seller)).items).toMatchObject([
    { id: account.id, status: 'draining', is_default: false },
  ])
})
