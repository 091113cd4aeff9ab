import { randomUUID } from 'node:crypto'
import { customerSessionEnded } from '@quittance/contracts/customer-sessions'
import { customerDeleted } from '@quittance/contracts/customers'
import { publicOperations } from '@quittance/contracts/registry'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import {
  bearer,
  invalidCredentialReply,
  sessionReply,
  sessionVerification,
  startGateway,
  verification,
  verifiedAs,
} from './start-gateway.ts'

const ids = { organizationId: randomUUID(), customerId: randomUUID() }
const customer = customerCaller(ids)
const token = mintToken('qt_cst_')

test('verifies a customer session with orders by its hash, once, and never with auth', async () => {
  await using gateway = await startGateway()
  const ofAuth = await gateway.play(verification, invalidCredentialReply)
  const ofOrders = await gateway.play(sessionVerification, sessionReply(customer))
  const calls = await gateway.play('orders.customer-order.list', '{}')
  for (let round = 0; round < 3; round++) {
    expect((await gateway.fetch('/v1/customer-portal/orders/', { headers: bearer(token) })).status).toBe(200)
  }
  expect(ofOrders.map(({ body }) => body)).toEqual([{ hash: hashToken(token) }])
  expect(JSON.parse(calls[0]?.headers['caller'] ?? '')).toEqual(customer)
  expect(ofAuth).toEqual([])
})

test('a caller that the verifying service has no authority over is an internal error, and nothing is called', async () => {
  await using gateway = await startGateway()
  gateway.service.allowInternalErrors()
  const client = { kind: 'client', client_id: randomUUID(), token_id: 'x' } as const
  await gateway.play(sessionVerification, sessionReply(client))
  const read = await gateway.play('auth.client.read', '{}')
  expect((await gateway.fetch(`/v1/oauth2/register/${client.client_id}`, { headers: bearer(token) })).status).toBe(500)
  for (const caller of [customer, { kind: 'operator' }, { kind: 'anonymous' }] as const) {
    await gateway.play(verification, verifiedAs(caller))
    expect((await gateway.fetch('/v1/customer-portal/orders/', { headers: bearer(mintToken('qt_oat_')) })).status).toBe(500)
  }
  expect(read).toEqual([])
})

const guarded = publicOperations.filter(({ http }) => !http.callers.includes('anonymous'))

test('allows customers to use the customer portal and nothing else', () => {
  const forCustomers = guarded.filter(({ http }) => http.callers.includes('customer'))
  expect(forCustomers).toEqual(guarded.filter(({ http }) => http.path.startsWith('/v1/customer-portal/')))
  for (const { http } of forCustomers) expect(http.callers).toEqual(['customer'])
})

test('rejects customer sessions outside the portal and other credentials in it', async () => {
  await using gateway = await startGateway()
  await gateway.play(sessionVerification, sessionReply(customer))
  const user = userCaller({ userId: randomUUID(), organizationIds: [ids.organizationId] })
  const others = { qt_oat_: organizationCaller(ids.organizationId), qt_pat_: user, qt_at_: user } as const
  const answers = new Map(
    Object.entries(others).map(([kind, caller]) => [mintToken(kind as keyof typeof others), verifiedAs(caller)] as const),
  )
  const byHash = new Map([...answers].map(([other, answer]) => [hashToken(other), answer]))
  await gateway.play(verification, ({ hash }: { hash: string }) => byHash.get(hash) as string)
  const admitted: string[] = []
  for (const { http, subject } of guarded) {
    for (const wrong of http.callers.includes('customer') ? answers.keys() : [token]) {
      const response = await gateway.fetch(http.path.replaceAll(/{\w+}/g, randomUUID()), { method: http.method, headers: bearer(wrong) })
      if (response.status !== 401) admitted.push(subject)
      expect(await response.json()).toMatchObject({
        error: 'invalid_token',
        error_description: 'The subject of this access token is not valid for this endpoint.',
      })
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  }
  expect(admitted).toEqual([])
})

test('rejects an unknown session and a portal request without a session', async () => {
  await using gateway = await startGateway()
  await gateway.play(sessionVerification, invalidCredentialReply)
  const me = '/v1/customer-portal/customers/me'
  expect(await (await gateway.fetch(me, { headers: bearer(token) })).json()).toMatchObject({ error: 'invalid_token' })
  expect(await (await gateway.fetch(me)).json()).toMatchObject({ error: 'Unauthorized' })
})

test('rejects an expired session', async () => {
  await using gateway = await startGateway()
  // Counted from the first verification, because the time before depends on the machine.
  let expiresAt = ''
  await gateway.play(sessionVerification, () => {
    expiresAt ||= new Date(Date.now() + 300).toISOString()
    return Date.now() < Date.parse(expiresAt) ? sessionReply(customer, expiresAt) : invalidCredentialReply
  })
  await gateway.play('orders.portal-customer.get', '{}')
  const status = async () => (await gateway.fetch('/v1/customer-portal/customers/me', { headers: bearer(token) })).status
  expect(await status()).toBe(200)
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expiresAt) + 100))
  expect(await status()).toBe(401)
})

test('revokes the sessions of a deleted customer and no others', async () => {
  await using gateway = await startGateway()
  const another = mintToken('qt_cst_')
  const answers = new Map([
    [hashToken(token), sessionReply(customer)],
    [hashToken(another), sessionReply(customerCaller({ ...ids, customerId: randomUUID() }))],
  ])
  const calls = await gateway.play(sessionVerification, ({ hash }: { hash: string }) => answers.get(hash) as string)
  await gateway.play('orders.portal-customer.get', '{}')
  const use = (which: string) => gateway.fetch('/v1/customer-portal/customers/me', { headers: bearer(which) })
  await Promise.all([use(token), use(another)])
  void gateway.service.emit(customerDeleted, { id: ids.customerId } as never)
  await eventually(async () => {
    await Promise.all([use(token), use(another)])
    expect(calls.map(({ body }) => (body as { hash: string }).hash).toSorted()).toEqual(
      [hashToken(token), hashToken(token), hashToken(another)].toSorted(),
    )
  })
})

test('does not accept the token of a session that was ended, without waiting for the cache [pages 66]', async () => {
  await using gateway = await startGateway()
  const calls = await gateway.play(sessionVerification, () => sessionReply(customer))
  await gateway.play('orders.portal-customer.get', '{}')
  const use = () => gateway.fetch('/v1/customer-portal/customers/me', { headers: bearer(token) })
  await use()
  void gateway.service.emit(customerSessionEnded, { session_id: randomUUID(), customer_id: ids.customerId, token_hash: hashToken(token) })
  await eventually(async () => {
    await use()
    expect(calls).toHaveLength(2)
  })
})

test('shows a seller by its slug without a credential and ignores one that is sent', async () => {
  await using gateway = await startGateway()
  const calls = await gateway.play('orders.portal-organization.get', '{}')
  const shop = '/v1/customer-portal/organizations/acme-books'
  expect((await gateway.fetch(shop)).status).toBe(200)
  expect((await gateway.fetch(shop, { headers: bearer('rubbish') })).status).toBe(200)
  expect(calls.map(({ body }) => body)).toEqual([{ slug: 'acme-books' }, { slug: 'acme-books' }])
})

test('returns 503, not 401, while orders is unavailable', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/customer-portal/orders/', { headers: bearer(token) })
  expect(response.status).toBe(503)
  expect(response.headers.get('www-authenticate')).toBeNull()
})

test('forwards an external id decoded, whatever characters it contains', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(ids.organizationId)))
  const calls = await gateway.play('orders.customer.get-by-external-id', '{}')
  const odd = 'a/b?c=d e%2F#é'
  const response = await gateway.fetch(`/v1/customers/external/${encodeURIComponent(odd)}`, { headers: bearer(mintToken('qt_oat_')) })
  expect(response.status).toBe(200)
  expect(calls.map(({ body }) => body)).toEqual([{ external_id: odd }])
})

test('a customer and an anonymous client have their network where attempts are limited by it, and only there', async () => {
  await using gateway = await startGateway()
  await gateway.play(sessionVerification, sessionReply(customer))
  const send = async (path: string, subject: string, headers: Record<string, string> = {}) => {
    const calls = await gateway.play(subject, '{}')
    await gateway.fetch(path, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' })
    return JSON.parse(calls[0]?.headers['caller'] ?? '') as unknown
  }
  const methods = '/v1/customer-portal/customers/me/payment-methods'
  const network = '127.0.0.1'
  expect(await send(methods, 'orders.customer-payment-method.add', bearer(token))).toEqual({ ...customer, network })
  expect(await send(`${methods}/confirm`, 'orders.customer-payment-method.confirm', bearer(token))).toEqual(customer)
  const cancellations = '/v1/customer-portal/cancellations/'
  expect(await send(cancellations, 'orders.cancellation.declare')).toEqual({ kind: 'anonymous', network })
  expect(await send(cancellations, 'orders.cancellation.declare', bearer(token))).toEqual({ ...customer, network })
})
