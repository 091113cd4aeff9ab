import { randomUUID } from 'node:crypto'
import { customerDeleted } from '@quittance/contracts/customers'
import { publicOperations } from '@quittance/contracts/registry'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { bearer, notValid, sessionOf, sessionVerification, startGateway, verification, verifiedAs } from './start-gateway.ts'

const ids = { organizationId: randomUUID(), customerId: randomUUID() }
const customer = customerCaller(ids)
const token = mintToken('qt_cst_')

test('a customer session is verified by asking orders for its hash, once, and auth never', async () => {
  await using gateway = await startGateway()
  const ofAuth = await gateway.play(verification, notValid)
  const ofOrders = await gateway.play(sessionVerification, sessionOf(customer))
  const asked = await gateway.play('orders.customer-order.list', '{}')
  for (let round = 0; round < 3; round++) {
    expect((await gateway.fetch('/v1/customer-portal/orders/', { headers: bearer(token) })).status).toBe(200)
  }
  expect(ofOrders.map(({ body }) => body)).toEqual([{ hash: hashToken(token) }])
  expect(JSON.parse(asked[0]?.headers['caller'] ?? '')).toEqual(customer)
  expect(ofAuth).toEqual([])
})

const guarded = publicOperations.filter(({ http }) => !http.callers.includes('anonymous'))

test('the customer portal is for customers, and nothing else is', () => {
  const forCustomers = guarded.filter(({ http }) => http.callers.includes('customer'))
  expect(forCustomers).toEqual(guarded.filter(({ http }) => http.path.startsWith('/v1/customer-portal/')))
  for (const { http } of forCustomers) expect(http.callers).toEqual(['customer'])
})

test('a customer session opens no operation of an organization, and what is not a session opens no portal', async () => {
  await using gateway = await startGateway()
  await gateway.play(sessionVerification, sessionOf(customer))
  const person = userCaller({ userId: randomUUID(), organizationIds: [ids.organizationId] })
  const others = { qt_oat_: organizationCaller(ids.organizationId), qt_pat_: person, qt_at_: person } as const
  const answers = new Map(
    Object.entries(others).map(([kind, caller]) => [mintToken(kind as keyof typeof others), verifiedAs(caller)] as const),
  )
  const byHash = new Map([...answers].map(([given, answer]) => [hashToken(given), answer]))
  await gateway.play(verification, ({ hash }: { hash: string }) => byHash.get(hash) as string)
  const admitted: string[] = []
  for (const { http, subject } of guarded) {
    for (const wrong of http.callers.includes('customer') ? answers.keys() : [token]) {
      const refused = await gateway.fetch(http.path.replaceAll(/{\w+}/g, randomUUID()), { method: http.method, headers: bearer(wrong) })
      if (refused.status !== 401) admitted.push(subject)
      expect(await refused.json()).toMatchObject({
        error: 'invalid_token',
        error_description: 'The subject of this access token is not valid for this endpoint.',
      })
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  }
  expect(admitted).toEqual([])
})

test('a session that orders does not know is refused, and without one the portal stays shut', async () => {
  await using gateway = await startGateway()
  await gateway.play(sessionVerification, notValid)
  const me = '/v1/customer-portal/customers/me'
  expect(await (await gateway.fetch(me, { headers: bearer(token) })).json()).toMatchObject({ error: 'invalid_token' })
  expect(await (await gateway.fetch(me)).json()).toMatchObject({ error: 'Unauthorized' })
})

test('a session is not believed after its expiry', async () => {
  await using gateway = await startGateway()
  // From the first question on: the way to it is the machine's.
  let expiresAt = ''
  await gateway.play(sessionVerification, () => {
    expiresAt ||= new Date(Date.now() + 300).toISOString()
    return Date.now() < Date.parse(expiresAt) ? sessionOf(customer, expiresAt) : notValid
  })
  await gateway.play('orders.portal-customer.get', '{}')
  const status = async () => (await gateway.fetch('/v1/customer-portal/customers/me', { headers: bearer(token) })).status
  expect(await status()).toBe(200)
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expiresAt) + 100))
  expect(await status()).toBe(401)
})

test('the sessions of a customer end with the customer, and no others', async () => {
  await using gateway = await startGateway()
  const another = mintToken('qt_cst_')
  const answers = new Map([
    [hashToken(token), sessionOf(customer)],
    [hashToken(another), sessionOf(customerCaller({ ...ids, customerId: randomUUID() }))],
  ])
  const asked = await gateway.play(sessionVerification, ({ hash }: { hash: string }) => answers.get(hash) as string)
  await gateway.play('orders.portal-customer.get', '{}')
  const use = (which: string) => gateway.fetch('/v1/customer-portal/customers/me', { headers: bearer(which) })
  await Promise.all([use(token), use(another)])
  gateway.service.connection.publish(customerDeleted.subject, JSON.stringify({ id: ids.customerId }))
  await eventually(async () => {
    await Promise.all([use(token), use(another)])
    expect(asked.map(({ body }) => (body as { hash: string }).hash).toSorted()).toEqual(
      [hashToken(token), hashToken(token), hashToken(another)].toSorted(),
    )
  })
})

test('anyone may look at a seller by its slug; a credential that is sent is ignored', async () => {
  await using gateway = await startGateway()
  const asked = await gateway.play('orders.portal-organization.get', '{}')
  const shop = '/v1/customer-portal/organizations/acme-books'
  expect((await gateway.fetch(shop)).status).toBe(200)
  expect((await gateway.fetch(shop, { headers: bearer('rubbish') })).status).toBe(200)
  expect(asked.map(({ body }) => body)).toEqual([{ slug: 'acme-books' }, { slug: 'acme-books' }])
})

test('orders that is away is 503, not a refusal of the session', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/customer-portal/orders/', { headers: bearer(token) })
  expect(response.status).toBe(503)
  expect(response.headers.get('www-authenticate')).toBeNull()
})

test('an external id goes to its owner as it was meant, whatever characters it has', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(ids.organizationId)))
  const asked = await gateway.play('orders.customer.get-by-external-id', '{}')
  const odd = 'a/b?c=d e%2F#é'
  const response = await gateway.fetch(`/v1/customers/external/${encodeURIComponent(odd)}`, { headers: bearer(mintToken('qt_oat_')) })
  expect(response.status).toBe(200)
  expect(asked.map(({ body }) => body)).toEqual([{ external_id: odd }])
})
