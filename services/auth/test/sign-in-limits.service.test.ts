import { createAccount } from '@quittance/contracts/accounts'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const email = 'ada@example.com'
const wrong = { email, password: 'wrong' }

const account = (server: AuthorizationServerUnderTest, browser: Browser) => browser.get(`${server.origin}/oauth2/account`)

/** Returns the sign-in page of the account, for a browser with the given address. */
async function open(server: AuthorizationServerUnderTest, ip: string) {
  const browser = server.newBrowser(ip)
  const page = await account(server, browser)
  return { browser, submit: (fields: Record<string, string>): Promise<PageVisit> => browser.submit(page, fields, '/sign-in') }
}

const statuses = (visits: PageVisit[]) => visits.map(({ status }) => status).toSorted((a, b) => a - b)
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work))

test('ten wrong passwords lock out only the stranger’s network, for any account, not the owner', async () => {
  await using server = await startAuthorizationServer()
  const stranger = await open(server, '203.0.113.7')
  for (const tried of [email, 'eve@example.com']) {
    const tries = await times(12, () => stranger.submit({ email: tried, password: 'wrong' }))
    expect(statuses(tries)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  }
  const closed = await stranger.submit({ ...server.person })
  expect(closed.status).toBe(429)
  expect(closed.headers.get('retry-after')).toMatch(/^\d+$/)
  const unknown = await stranger.submit({ email: 'eve@example.com', password: 'correct horse' })
  expect(unknown.body.replace('eve@', 'ada@')).toBe(closed.body)
  const owner = await open(server, '198.51.100.1')
  expect((await owner.submit({ ...server.person })).body).toContain('Your account')
})

test('two spellings of an address that the database compares as one share their limit', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'iris@example.com', password: 'correct horse' }, { kind: 'operator' })
  const stranger = await open(server, '203.0.113.7')
  // The dotted capital I, whose lower case in PostgreSQL is i, and which JavaScript writes as two characters.
  const spellings = ['iris@example.com', '\u0130ris@example.com', 'Ir\u0130s@example.com', '\u0130r\u0130s@example.com']
  const tries = await times(3, () => Promise.all(spellings.map((tried) => stranger.submit({ email: tried, password: 'wrong' }))))
  expect(statuses(tries.flat())).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
})

test('an IPv6 /64 is one network', async () => {
  await using server = await startAuthorizationServer()
  for (let host = 1; host <= 10; host++) {
    expect((await (await open(server, `2001:db8:1:2::${host}`)).submit(wrong)).status).toBe(401)
  }
  expect((await (await open(server, '2001:db8:1:2:ffff::1')).submit(wrong)).status).toBe(429)
  expect((await (await open(server, '2001:db8:1:3::1')).submit(wrong)).status).toBe(401)
})

test('a known browser has a separate counter that no number of strangers exhausts', async () => {
  await using server = await startAuthorizationServer()
  const owner = await open(server, '203.0.113.7')
  await owner.submit({ ...server.person })
  await owner.browser.submit(await account(server, owner.browser), {}, '/sign-out')
  // The owner's own network; ten more reach the limit of the account over all networks.
  const used = await times(10, async () => (await open(server, '203.0.113.7')).submit(wrong))
  expect(statuses(used)).toEqual(Array.from({ length: 10 }, () => 401))
  await server.service.rows(`update sign_in_attempts set points = 1000 where key like 'account:%' or key like 'network:%'`)
  expect((await (await open(server, '198.51.100.9')).submit({ ...server.person })).status).toBe(429)
  const page = await account(server, owner.browser)
  expect((await owner.browser.submit(page, { ...server.person }, '/sign-in')).body).toContain('Your account')
})

test('rejects attempts of unknown browsers beyond those that can be hashed in time, but not of a known one', async () => {
  await using server = await startAuthorizationServer()
  const owner = await open(server, '203.0.113.7')
  await owner.submit({ ...server.person })
  await owner.browser.submit(await account(server, owner.browser), {}, '/sign-out')
  const known = await account(server, owner.browser)
  const strangers = await Promise.all(Array.from({ length: 65 }, (_, network) => open(server, `2001:db8:1:${network}::1`)))
  // Nothing is hashed while the attempts cannot be counted.
  const release = await server.service.holdTransaction('lock table sign_in_attempts')
  const tries = strangers.map(({ submit }, index) => submit({ email: `user${index}@example.com`, password: 'wrong' }))
  const rejected = await Promise.race(tries)
  expect(rejected.status).toBe(429)
  expect(rejected.headers.get('retry-after')).toBe('10')
  const signedIn = owner.browser.submit(known, { ...server.person }, '/sign-in')
  await release()
  expect((await signedIn).body).toContain('Your account')
  expect(statuses(await Promise.all(tries))).toEqual([...Array.from({ length: 64 }, () => 401), 429])
})

test('a known browser has ten attempts, and its cookie proves nothing for another account', async () => {
  await using server = await startAuthorizationServer()
  const owner = await open(server, '203.0.113.7')
  await owner.submit({ ...server.person })
  await owner.browser.submit(await account(server, owner.browser), {}, '/sign-out')
  const page = await account(server, owner.browser)
  const tries = await times(12, () => owner.browser.submit(page, wrong, '/sign-in'))
  expect(statuses(tries)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  for (let tried = 0; tried < 10; tried++) await owner.browser.submit(page, { email: 'eve@example.com', password: 'wrong' }, '/sign-in')
  expect((await owner.browser.submit(page, { email: 'eve@example.com', password: 'wrong' }, '/sign-in')).status).toBe(429)
  const [counted] = await server.service.rows<{ count: number }>(
    `select count(*)::int as count from sign_in_attempts where key like 'known-device:%'`,
  )
  expect(counted?.count).toBe(1)
})

test('the device cookie is hashed, changes at every sign-in and is hidden from scripts', async () => {
  await using server = await startAuthorizationServer()
  const owner = await open(server, '203.0.113.7')
  const cookie = () => owner.browser.cookies().find(({ name }) => name === 'qt_device')
  await owner.submit({ ...server.person })
  const first = cookie()
  expect(first?.attributes).toEqual(expect.arrayContaining(['httponly', 'samesite=lax', 'path=/']))
  await owner.browser.submit(await account(server, owner.browser), {}, '/sign-out')
  await owner.browser.submit(await account(server, owner.browser), { ...server.person }, '/sign-in')
  expect(cookie()?.value).not.toBe(first?.value)
  const stored = await server.service.rows('select * from known_devices')
  expect(stored).toHaveLength(1)
  expect(JSON.stringify(stored)).not.toContain(cookie()?.value)
})

test('an account stores its 50 latest browsers', async () => {
  await using server = await startAuthorizationServer()
  await server.service.rows(
    `insert into known_devices (account_id, device_hash, signed_in_at)
     select $1, lpad(to_hex(n), 64, '0'), now() - make_interval(days => n) from generate_series(1, 60) n`,
    [server.person.id],
  )
  await (await open(server, '203.0.113.7')).submit({ ...server.person })
  const [stored] = await server.service.rows<{ count: number; oldest: number }>(
    `select count(*)::int as count, max(extract(day from now() - signed_in_at))::int as oldest from known_devices`,
  )
  expect(stored).toEqual({ count: 50, oldest: 49 })
})

test('locks a network out after 100 failures for any accounts; successes do not count', async () => {
  await using server = await startAuthorizationServer()
  await server.service.rows(
    `insert into sign_in_attempts (key, points, expire) values ('network:127.0.0.1', 99, extract(epoch from now()) * 1000 + 60000)`,
  )
  const { submit } = await open(server, '127.0.0.1')
  expect((await submit({ ...server.person })).body).toContain('Your account')
  const other = await open(server, '127.0.0.1')
  expect((await other.submit({ email: 'a@example.com', password: 'wrong' })).status).toBe(401)
  expect((await other.submit({ email: 'b@example.com', password: 'wrong' })).status).toBe(429)
})
