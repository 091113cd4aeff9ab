import { setTimeout as pause } from 'node:timers/promises'
import { createBrowser, type Browser, type Visit } from '@quittance/testing/browser'
import { eventually } from '@quittance/testing/eventually'
import { codeOf, type ProtocolAnswer } from '@quittance/testing/oauth-client'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectToAuth, oddGrants, waitingStatements } from '../auth-database.ts'
import { oauthAt, tokensOf, type OAuthJourney, type Tokens } from '../oauth-journey.ts'

let system: StartedSystem
let oauth: OAuthJourney
/** Of somebody who is signed in and has consented before. */
let person: Browser

beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0' } })
  oauth = oauthAt(system)
  person = oauth.newBrowser()
})

afterAll(() => system[Symbol.asyncDispose]())

/** What somebody has at a moment. Their browser does not follow redirects by itself: every request is a step. */
interface Traveller {
  browser: Browser
  visit: Visit
  code: string
  tokens: Tokens
}

type Step = [name: string, take: (traveller: Traveller) => Promise<unknown>]

const way: Step[] = [
  ['was sent to authorize', async (own) => (own.visit = await redirected(own.browser.get(oauth.startUrl())))],
  ['was sent to the sign-in page', async (own) => (own.visit = await shown(own, 'name="password"'))],
  ['had filled in the sign-in page', async (own) => (own.visit = await redirected(oauth.signIn(own.browser, own.visit)))],
  ['was sent back', async (own) => (own.visit = await redirected(own.browser.get(own.visit.url.href)))],
  ['was sent to the consent page', async (own) => (own.visit = await shown(own, 'name="action"'))],
  ['had filled in the consent page', async (own) => (own.visit = await redirected(oauth.consent(own.browser, own.visit)))],
  ['was sent back once more', async (own) => (own.code = codeOf(await own.browser.get(own.visit.url.href)))],
  ['had a code', async (own) => (own.tokens = await tokensOf(oauth.exchangeCode(own.code)))],
  ['had tokens', async (own) => (own.tokens = await tokensOf(oauth.exchange(own.tokens.refresh_token)))],
  ['had refreshed once', async (own) => (own.tokens = await tokensOf(oauth.exchange(own.tokens.refresh_token)))],
  ['had refreshed twice', async ({ tokens }) => expect(await oauth.revoke(tokens)).toBe(200)],
  ['had given the tokens back', async ({ tokens }) => expect(await oauth.works(tokens)).toBe(false)],
]

test('a kill of auth before any step of the way is noticed by nobody: everyone takes that step, and the rest', async () => {
  const travellers: Traveller[] = []
  for (const index of way.keys()) {
    const traveller = { browser: createBrowser([]) } as Traveller
    for (const [, take] of way.slice(0, index)) await take(traveller)
    travellers.push(traveller)
  }
  system.kill('auth')
  await system.untilReady()
  for (const [index, traveller] of travellers.entries()) {
    for (const [, take] of way.slice(index)) {
      await take(traveller).catch((error: unknown) => {
        throw new Error(`Whoever ${way[index]?.[0]} when auth was killed, could not go on`, { cause: error })
      })
    }
  }
  expect(await oddGrants(system)).toEqual([])
})

/** Milliseconds between the request and the kill; checking a password alone takes longer than all others. */
const momentsMs = [0, 2, 5, 10, 20, 40]
const signInMomentsMs = [0, 60, 100, 140, 180, 240]
const longestMs = Math.max(...signInMomentsMs)
const rounds = 3

/** Heard: it was answered. Repeated: the same request went through after it was not. Over: what it was about was used up. */
type Ending = 'heard' | 'repeated' | 'over'

interface Sent {
  momentMs: number
  send(): Promise<Visit | ProtocolAnswer>
  /** What the person or the application does when they hear, or hear nothing; checks that they end well. */
  goOn(heard: Visit | ProtocolAnswer | null): Promise<Ending>
}

test('a kill of auth in the middle of requests loses no token and doubles none', async () => {
  for (let round = 0; round < rounds; round++) {
    await system.untilReady()
    const sent: Sent[] = []
    for (const momentMs of momentsMs) sent.push(await readyToConsent(momentMs), ...(await readyToExchange(momentMs)))
    for (const momentMs of signInMomentsMs.slice(2 * round, 2 * round + 2)) sent.push(await readyToSignIn(momentMs))
    const answers = sent.map(async ({ momentMs, send }) => {
      await pause(longestMs - momentMs)
      return send().catch(() => null)
    })
    await pause(longestMs)
    system.kill('auth')
    await goOn(sent, await Promise.all(answers))
  }
})

test('a kill of auth while the database still writes: what was written counts, although nobody was told', async () => {
  await system.untilReady()
  const untouched = await oauth.authorize(person)
  const sent = [await readyToSignIn(0), await readyToConsent(0), await readyToResume(), ...(await readyToExchange(0))]
  const database = await connectToAuth(system)
  try {
    await database.query('begin')
    for (const table of ['short_lived_records', 'authorization_codes', 'refresh_tokens']) {
      await database.query(`select from ${table} for update`)
    }
    const answers = sent.map(({ send }) => send().catch(() => null))
    await eventually(async () => expect(await waitingStatements(system)).toBe(sent.length))
    system.kill('auth')
    const heard = await Promise.all(answers)
    await database.query('rollback')
    await eventually(async () => expect(await waitingStatements(system)).toBe(0))
    // Forms can be sent again; who was on the way back, and a used code or token, cannot go that way twice.
    expect(await goOn(sent, heard)).toEqual(['repeated', 'repeated', 'over', 'over', 'over'])
  } finally {
    await database.end()
  }
  expect(await oauth.works(await tokensOf(oauth.exchangeCode(untouched)))).toBe(true)
})

async function goOn(sent: readonly Sent[], heard: readonly (Visit | ProtocolAnswer | null)[]): Promise<Ending[]> {
  await system.untilReady()
  expect(await oddGrants(system)).toEqual([])
  const endings: Ending[] = []
  for (const [index, each] of sent.entries()) endings.push(await each.goOn(heard[index] ?? null))
  expect(await oddGrants(system)).toEqual([])
  return endings
}

async function readyToSignIn(momentMs: number): Promise<Sent> {
  const browser = oauth.newBrowser()
  const at = await browser.get(oauth.startUrl())
  return fromPage(momentMs, { browser, at, submit: oauth.signIn })
}

async function readyToConsent(momentMs: number): Promise<Sent> {
  const browser = oauth.newBrowser()
  const at = await oauth.signIn(browser, await browser.get(oauth.startUrl({ prompt: 'consent' })))
  return fromPage(momentMs, { browser, at, submit: oauth.consent })
}

/** On the way back from the consent page to the application. */
async function readyToResume(): Promise<Sent> {
  const traveller = { browser: createBrowser([]) } as Traveller
  for (const [, take] of way.slice(0, 6)) await take(traveller)
  const { browser, visit } = traveller
  return fromPage(0, { browser, at: visit, submit: () => browser.get(visit.url.href) })
}

async function readyToExchange(momentMs: number): Promise<Sent[]> {
  const code = await oauth.authorize(person)
  const { refresh_token: token } = await tokensOf(oauth.exchangeCode(await oauth.authorize(person)))
  return [ofApplication(momentMs, () => oauth.exchangeCode(code)), ofApplication(momentMs, () => oauth.exchange(token))]
}

interface Form {
  browser: Browser
  at: Visit
  submit(browser: Browser, at: Visit): Promise<Visit>
}

/** Somebody who hears nothing reloads; when the page says that it is over, they start again at the application. */
function fromPage(momentMs: number, { browser, at, submit }: Form): Sent {
  return {
    momentMs,
    send: () => submit(browser, at),
    async goOn(heard) {
      const answer = heard as Visit | null
      const isLost = unheard(answer)
      const failedLater = answer !== null && answer.url.pathname.startsWith('/oauth2/authorize/')
      const page = !isLost ? (answer as Visit) : await (failedLater ? browser.get(answer.url.href) : submit(browser, at))
      const isOver = page.status === 400
      if (isOver) expect(page.body).toContain('Go back to')
      const next = isOver ? oauth.newBrowser() : browser
      const arrived = await oauth.pass(next, isOver ? await next.get(oauth.startUrl()) : page)
      expect(await oauth.works(await tokensOf(oauth.exchangeCode(codeOf(arrived))))).toBe(true)
      return isOver ? 'over' : isLost ? 'repeated' : 'heard'
    },
  }
}

/** A code or refresh token. An application that hears nothing sends it again; when it was used up, the person authorizes again. */
function ofApplication(momentMs: number, send: () => Promise<ProtocolAnswer>): Sent {
  return {
    momentMs,
    send,
    async goOn(heard) {
      const isLost = unheard(heard)
      const answer = isLost ? await send() : (heard as ProtocolAnswer)
      const isOver = isLost && answer.status !== 200
      if (isOver) expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      else expect(await oauth.works(await tokensOf(Promise.resolve(answer)))).toBe(true)
      expect(await send()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      expect(await oauth.works(await tokensOf(oauth.exchangeCode(await oauth.authorize(person))))).toBe(true)
      return isOver ? 'over' : isLost ? 'repeated' : 'heard'
    },
  }
}

test('while one of two replicas is killed, of many exchanges of one refresh token at most one succeeds', async () => {
  await using pair = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0' }, replicas: 'auth=2' })
  const at = oauthAt(pair)
  const browser = at.newBrowser()
  for (const [round, momentMs] of momentsMs.entries()) {
    await pair.untilReady()
    const { refresh_token: token } = await tokensOf(at.exchangeCode(await at.authorize(browser)))
    const answers = Array.from({ length: 12 }, () => at.exchange(token).catch(() => null))
    await pause(momentMs)
    process.kill(pair.facts().services.auth[round % 2]?.pid as number, 'SIGKILL')
    const heard = await Promise.all(answers)
    for (const answer of heard) expect([200, 400, 503]).toContain(answer?.status ?? 503)
    // What was under way at the dead one is decided then, and nobody is sent to it any more.
    await pair.untilReady()
    const [winner, ...others] = heard.filter((answer) => answer?.status === 200)
    expect(others).toEqual([])
    expect(await oddGrants(pair)).toEqual([])
    // One that came after the first was done counts as theft and ends the family: then both tokens are gone.
    const usable = winner ? [await at.works(winner.body), (await at.exchange(winner.body.refresh_token)).status === 200] : []
    expect(new Set(usable).size).toBeLessThanOrEqual(1)
    expect((winner ? [400] : [200, 400]).includes((await at.exchange(token)).status)).toBe(true)
    expect(await at.works(await tokensOf(at.exchangeCode(await at.authorize(browser))))).toBe(true)
  }
})

/** Whether there was no answer: the connection broke, or the gateway said that nobody is there. Nothing else may go wrong. */
function unheard(answer: { status: number } | null): boolean {
  if (answer !== null && answer.status < 500) return false
  expect(answer?.status ?? 503).toBe(503)
  return true
}

async function redirected(answer: Promise<Visit>): Promise<Visit> {
  const visit = await answer
  expect(visit).toMatchObject({ status: 303 })
  return visit
}

async function shown({ browser, visit }: Traveller, part: string): Promise<Visit> {
  const page = await browser.get(visit.url.href)
  expect(page.body).toContain(part)
  return page
}
