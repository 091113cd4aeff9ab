import { randomUUID } from 'node:crypto'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { bearer, isAbout, notValid, startGateway, verification, verifiedAs } from './start-gateway.ts'

const seller = organizationCaller(randomUUID())
const person = userCaller({ userId: randomUUID(), organizationIds: [] })

test.each(['qt_at_', 'qt_pat_', 'qt_oat_'] as const)(
  'a credential of the kind %s is verified by asking auth for its hash',
  async (kind) => {
    await using gateway = await startGateway()
    const verifications = await gateway.play(verification, verifiedAs(seller))
    await gateway.play('orders.order.list', '{}')
    const token = mintToken(kind)
    expect((await gateway.fetch('/v1/orders/', { headers: bearer(token) })).status).toBe(200)
    expect(verifications.map(({ body }) => body)).toEqual([{ hash: hashToken(token) }])
  },
)

test('a registration token manages its client and nothing else', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs({ kind: 'client', client_id: 'c', token_id: 'crt' }, { scopes: [] }))
  const asked = await gateway.play('auth.client.get', '{}')
  const headers = bearer(mintToken('qt_crt_'))
  expect((await gateway.fetch('/v1/oauth2/register/c', { headers })).status).toBe(200)
  expect(JSON.parse(asked[0]?.headers['caller'] ?? '')).toEqual({ kind: 'client', client_id: 'c', token_id: 'crt' })
  expect((await gateway.fetch('/v1/orders/', { headers })).status).toBe(401)
})

test('what cannot be a credential is refused without asking anybody', async () => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(seller))
  const minted = mintToken('qt_oat_')
  const wrongChecksum = minted.slice(0, -1) + (minted.endsWith('0') ? '1' : '0')
  const rubbish = [
    'a',
    'qt_oat_',
    wrongChecksum,
    `${minted}0`,
    mintToken('qt_rt_'),
    mintToken('qt_ac_'),
    mintToken('qt_cs_'),
    'a.b',
    'a.b.c.d',
  ]
  for (const token of rubbish) {
    const response = await gateway.fetch('/v1/orders/', { headers: bearer(token) })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({
      error: 'invalid_token',
      error_description: expect.any(String),
      detail: expect.any(String),
    })
  }
  const basic = await gateway.fetch('/v1/orders/', { headers: { authorization: `Basic ${btoa('a:b')}` } })
  expect(await basic.json()).toMatchObject({ error: 'invalid_token' })
  expect(verifications).toEqual([])
})

test('a credential is not believed after its expiry', async () => {
  await using gateway = await startGateway()
  // From the first question on: the way to it is the machine's.
  let expires_at = ''
  const verifications = await gateway.play(verification, () => {
    expires_at ||= new Date(Date.now() + 300).toISOString()
    return Date.now() < Date.parse(expires_at) ? verifiedAs(seller, { expires_at }) : notValid
  })
  await gateway.play('orders.order.list', '{}')
  const headers = bearer(mintToken('qt_at_'))
  expect((await gateway.fetch('/v1/orders/', { headers })).status).toBe(200)
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(expires_at) + 100))
  expect((await gateway.fetch('/v1/orders/', { headers })).status).toBe(401)
  expect(verifications).toHaveLength(2)
})

test('a grant, a client and a person take their own credentials with them, and no others', async () => {
  await using gateway = await startGateway()
  const tokens = { grant: mintToken('qt_at_'), client: mintToken('qt_at_'), person: mintToken('qt_pat_'), other: mintToken('qt_oat_') }
  const answers = new Map([
    [hashToken(tokens.grant), verifiedAs(seller, { grant_id: 'grant' })],
    [hashToken(tokens.client), verifiedAs({ ...seller, client_id: 'client' } as typeof seller)],
    [hashToken(tokens.person), verifiedAs(person)],
    [hashToken(tokens.other), verifiedAs(seller)],
  ])
  const verifications = await gateway.play(verification, ({ hash }: { hash: string }) => answers.get(hash) as string)
  await gateway.play('orders.order.list', '{}')
  const useAll = () => Promise.all(Object.values(tokens).map((token) => gateway.fetch('/v1/orders/', { headers: bearer(token) })))
  const timesAsked = () => Object.values(tokens).map((token) => verifications.filter(isAbout(token)).length)
  await useAll()
  await useAll()
  expect(timesAsked()).toEqual([1, 1, 1, 1])
  gateway.revoke({ grant_id: 'grant' })
  gateway.revoke({ client_id: 'client' })
  gateway.revoke({ user_id: 'user_id' in person ? person.user_id : null })
  await eventually(async () => {
    await useAll()
    expect(timesAsked()).toEqual([2, 2, 2, 1])
  })
})

test.each(['hash', 'grant', 'client', 'person'])(
  'an answer that was under way while its %s was revoked is asked for again',
  async (what) => {
    await using gateway = await startGateway()
    const token = mintToken('qt_at_')
    const caller = { ...person, client_id: 'client' } as typeof person
    const revocation = {
      hash: { token_hash: hashToken(token) },
      grant: { grant_id: 'grant' },
      client: { client_id: 'client' },
      person: { user_id: 'user_id' in person ? person.user_id : null },
    }[what] as object
    const underWay = Promise.withResolvers<string>()
    const verifications = await gateway.play(verification, (_body, count) => (count === 1 ? underWay.promise : notValid))
    const response = gateway.fetch('/v1/orders/', { headers: bearer(token) })
    await eventually(() => expect(verifications).toHaveLength(1))
    gateway.revoke(revocation)
    // What auth says after this reaches the gateway after it.
    await gateway.service.connection.flush()
    underWay.resolve(verifiedAs(caller, { grant_id: 'grant' }))
    expect((await response).status).toBe(401)
    expect(verifications).toHaveLength(2)
  },
)

test('where a credential is optional nobody is somebody, and what is sent is verified like elsewhere', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(person))
  const asked = await gateway.play('auth.client.register', '{}')
  const register = (headers: Record<string, string>) =>
    gateway.fetch('/v1/oauth2/register', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
  expect((await register({})).status).toBe(201)
  expect((await register(bearer(mintToken('qt_pat_')))).status).toBe(201)
  expect(asked.map(({ headers }) => JSON.parse(headers['caller'] ?? '').kind)).toEqual(['anonymous', 'user'])
  expect((await register(bearer('rubbish'))).status).toBe(401)
  expect((await register({ authorization: 'Basic x' })).status).toBe(401)
  expect(asked).toHaveLength(2)
})

test('where no credential is asked for, one that is sent is ignored', async () => {
  await using gateway = await startGateway()
  const asked = await gateway.play('orders.checkout.get-by-client', '{}')
  const response = await gateway.fetch('/v1/checkouts/client/secret', { headers: bearer('rubbish') })
  expect(response.status).toBe(200)
  expect(JSON.parse(asked[0]?.headers['caller'] ?? '')).toEqual({ kind: 'anonymous' })
})

test('auth that is away is 503, not a refusal of the credential', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/orders/', { headers: bearer(mintToken('qt_at_')) })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(response.headers.get('www-authenticate')).toBeNull()
})

test('what a person changed about themselves is seen by their very next request, before any event is heard', async () => {
  await using gateway = await startGateway()
  const verifications = await gateway.play(verification, verifiedAs(person))
  await gateway.play('auth.organization.create', '{}')
  await gateway.play('auth.organization.list', '{}')
  const token = mintToken('qt_pat_')
  const create = { method: 'POST', body: '{}', headers: { ...bearer(token), 'content-type': 'application/json' } }
  expect((await gateway.fetch('/v1/organizations/', { headers: bearer(token) })).status).toBe(200)
  expect((await gateway.fetch('/v1/organizations/', create)).status).toBe(201)
  expect((await gateway.fetch('/v1/organizations/', { headers: bearer(token) })).status).toBe(200)
  expect(verifications).toHaveLength(2)
})
