import { setTimeout as pause } from 'node:timers/promises'
import { createBrowser, type Browser, type PageVisit } from '@quittance/testing/browser'
import { eventually } from '@quittance/testing/eventually'
import { readAuthorizationCode, type ProtocolResponse } from '@quittance/testing/oauth-client'
import { scale } from '@quittance/testing/scale'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectToAuth, findInconsistentGrants, findWaitingStatements } from '../auth-database.ts'
import { createOAuthFlow, readTokens, type OAuthFlow, type Tokens } from '../oauth-flow.ts'

let system: StartedSystem
let oauth: OAuthFlow
/** Browser of a user who is signed in and has consented before. */
let signedInBrowser: Browser

beforeAll(async () => {
  system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0' } })
  oauth = createOAuthFlow(system)
  signedInBrowser = oauth.newBrowser()
})

afterAll(() => system[Symbol.asyncDispose]())

/** State of one authorization flow. Its browser does not follow redirects: every request is a step. */
interface FlowState {
  browser: Browser
  visit: PageVisit
  code: string
  tokens: Tokens
}

type FlowStep = [name: string, perform: (flow: FlowState) => Promise<unknown>]

const flowSteps: FlowStep[] = [
  ['authorization requested', async (flow) => (flow.visit = await expectRedirect(flow.browser.get(oauth.startUrl())))],
  ['redirected to the sign-in page', async (flow) => (flow.visit = await expectPage(flow, 'name="password"'))],
  ['sign-in page completed', async (flow) => (flow.visit = await expectRedirect(oauth.signIn(flow.browser, flow.visit)))],
  ['redirected to resume', async (flow) => (flow.visit = await expectRedirect(flow.browser.get(flow.visit.url.href)))],
  ['redirected to the consent page', async (flow) => (flow.visit = await expectPage(flow, 'name="action"'))],
  ['consent page completed', async (flow) => (flow.visit = await expectRedirect(oauth.consent(flow.browser, flow.visit)))],
  ['redirected to resume after consent', async (flow) => (flow.code = readAuthorizationCode(await flow.browser.get(flow.visit.url.href)))],
  ['code received', async (flow) => (flow.tokens = await readTokens(oauth.exchangeCode(flow.code)))],
  ['tokens received', async (flow) => (flow.tokens = await readTokens(oauth.refresh(flow.tokens.refresh_token)))],
  ['refreshed once', async (flow) => (flow.tokens = await readTokens(oauth.refresh(flow.tokens.refresh_token)))],
  ['refreshed twice', async ({ tokens }) => expect(await oauth.revoke(tokens)).toBe(200)],
  ['tokens revoked', async ({ tokens }) => expect(await oauth.isAccepted(tokens)).toBe(false)],
]

test('a kill of auth before any step of the flow prevents neither that step nor the rest', async () => {
  const flows: FlowState[] = []
  for (const index of flowSteps.keys()) {
    const flow = { browser: createBrowser([]) } as FlowState
    for (const [, perform] of flowSteps.slice(0, index)) await perform(flow)
    flows.push(flow)
  }
  system.kill('auth')
  await system.untilReady()
  for (const [index, flow] of flows.entries()) {
    for (const [, perform] of flowSteps.slice(index)) {
      await perform(flow).catch((error: unknown) => {
        throw new Error(`A flow in the state “${flowSteps[index]?.[0]}” when auth was killed cannot continue.`, { cause: error })
      })
    }
  }
  expect(await findInconsistentGrants(system)).toEqual([])
})

/** Milliseconds between the request and the kill; verifying a password takes longer than any other request. */
const momentsMs = [0, 2, 5, 10, 20, 40]
const signInMomentsMs = [0, 60, 100, 140, 180, 240]
const maxMomentMs = Math.max(...signInMomentsMs)
const rounds = scale(1, 3)

/**
 * `answered`: the client received the response. `repeated`: it did not, and the repeated request succeeded. `consumed`: the code, token or
 * interaction of the request was used up.
 */
type Outcome = 'answered' | 'repeated' | 'consumed'

interface SentRequest {
  momentMs: number
  send(): Promise<PageVisit | ProtocolResponse>
  /** Continues like the user or the application, with the received response or none, and asserts a correct outcome. */
  verifyOutcome(received: PageVisit | ProtocolResponse | null): Promise<Outcome>
}

test('a kill of auth during requests loses and duplicates no token', async () => {
  for (let round = 0; round < rounds; round++) {
    await system.untilReady()
    const requests: SentRequest[] = []
    for (const momentMs of momentsMs) requests.push(await prepareConsent(momentMs), ...(await prepareExchange(momentMs)))
    for (const momentMs of signInMomentsMs.slice(2 * round, 2 * round + 2)) requests.push(await prepareSignIn(momentMs))
    const responses = requests.map(async ({ momentMs, send }) => {
      await pause(maxMomentMs - momentMs)
      return send().catch(() => null)
    })
    await pause(maxMomentMs)
    system.kill('auth')
    await verifyOutcomes(requests, await Promise.all(responses))
  }
})

test('a kill of auth during database writes keeps committed writes without a response', async () => {
  await system.untilReady()
  const unusedCode = await oauth.authorize(signedInBrowser)
  const requests = [await prepareSignIn(0), await prepareConsent(0), await prepareResume(), ...(await prepareExchange(0))]
  const database = await connectToAuth(system)
  try {
    await database.query('begin')
    for (const table of ['short_lived_records', 'authorization_codes', 'refresh_tokens']) {
      await database.query(`select from ${table} for update`)
    }
    const responses = requests.map(({ send }) => send().catch(() => null))
    await eventually(async () => expect(await findWaitingStatements(system)).toBe(requests.length))
    system.kill('auth')
    const received = await Promise.all(responses)
    await database.query('rollback')
    await eventually(async () => expect(await findWaitingStatements(system)).toBe(0))
    // Forms can be submitted again; a redirect to resume, a used code and a used token cannot be repeated.
    expect(await verifyOutcomes(requests, received)).toEqual(['repeated', 'repeated', 'consumed', 'consumed', 'consumed'])
  } finally {
    await database.end()
  }
  expect(await oauth.isAccepted(await readTokens(oauth.exchangeCode(unusedCode)))).toBe(true)
})

async function verifyOutcomes(
  requests: readonly SentRequest[],
  received: readonly (PageVisit | ProtocolResponse | null)[],
): Promise<Outcome[]> {
  await system.untilReady()
  expect(await findInconsistentGrants(system)).toEqual([])
  const outcomes: Outcome[] = []
  for (const [index, each] of requests.entries()) outcomes.push(await each.verifyOutcome(received[index] ?? null))
  expect(await findInconsistentGrants(system)).toEqual([])
  return outcomes
}

async function prepareSignIn(momentMs: number): Promise<SentRequest> {
  const browser = oauth.newBrowser()
  const at = await browser.get(oauth.startUrl())
  return createPageRequest(momentMs, { browser, at, submit: oauth.signIn })
}

async function prepareConsent(momentMs: number): Promise<SentRequest> {
  const browser = oauth.newBrowser()
  const at = await oauth.signIn(browser, await browser.get(oauth.startUrl({ prompt: 'consent' })))
  return createPageRequest(momentMs, { browser, at, submit: oauth.consent })
}

/** Prepares the redirect from the consent page to the application. */
async function prepareResume(): Promise<SentRequest> {
  const flow = { browser: createBrowser([]) } as FlowState
  for (const [, perform] of flowSteps.slice(0, 6)) await perform(flow)
  const { browser, visit } = flow
  return createPageRequest(0, { browser, at: visit, submit: () => browser.get(visit.url.href) })
}

async function prepareExchange(momentMs: number): Promise<SentRequest[]> {
  const code = await oauth.authorize(signedInBrowser)
  const { refresh_token: token } = await readTokens(oauth.exchangeCode(await oauth.authorize(signedInBrowser)))
  return [
    createApplicationRequest(momentMs, () => oauth.exchangeCode(code)),
    createApplicationRequest(momentMs, () => oauth.refresh(token)),
  ]
}

interface FormSubmission {
  browser: Browser
  at: PageVisit
  submit(browser: Browser, at: PageVisit): Promise<PageVisit>
}

/** Creates a page request. Without a response the user reloads; if the page has expired, they start again at the application. */
function createPageRequest(momentMs: number, { browser, at, submit }: FormSubmission): SentRequest {
  return {
    momentMs,
    send: () => submit(browser, at),
    async verifyOutcome(received) {
      const response = received as PageVisit | null
      const isLost = isUnanswered(response)
      const failedLater = response !== null && response.url.pathname.startsWith('/oauth2/authorize/')
      const page = !isLost ? (response as PageVisit) : await (failedLater ? browser.get(response.url.href) : submit(browser, at))
      const isConsumed = page.status === 400
      if (isConsumed) expect(page.body).toContain('Go back to')
      const next = isConsumed ? oauth.newBrowser() : browser
      const arrived = await oauth.completeInteractions(next, isConsumed ? await next.get(oauth.startUrl()) : page)
      expect(await oauth.isAccepted(await readTokens(oauth.exchangeCode(readAuthorizationCode(arrived))))).toBe(true)
      return isConsumed ? 'consumed' : isLost ? 'repeated' : 'answered'
    },
  }
}

/**
 * Creates a request with a code or refresh token. Without a response the application sends it again; if it was used up, the user authorizes
 * again.
 */
function createApplicationRequest(momentMs: number, send: () => Promise<ProtocolResponse>): SentRequest {
  return {
    momentMs,
    send,
    async verifyOutcome(received) {
      const isLost = isUnanswered(received)
      const response = isLost ? await send() : (received as ProtocolResponse)
      const isConsumed = isLost && response.status !== 200
      if (isConsumed) expect(response).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      else expect(await oauth.isAccepted(await readTokens(Promise.resolve(response)))).toBe(true)
      expect(await send()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      expect(await oauth.isAccepted(await readTokens(oauth.exchangeCode(await oauth.authorize(signedInBrowser))))).toBe(true)
      return isConsumed ? 'consumed' : isLost ? 'repeated' : 'answered'
    },
  }
}

test('at most one of many exchanges of one refresh token succeeds while a replica is killed', async () => {
  await using pair = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0' }, replicas: 'auth=2' })
  const at = createOAuthFlow(pair)
  const browser = at.newBrowser()
  for (const [round, momentMs] of momentsMs.entries()) {
    await pair.untilReady()
    const { refresh_token: token } = await readTokens(at.exchangeCode(await at.authorize(browser)))
    const responses = Array.from({ length: 12 }, () => at.refresh(token).catch(() => null))
    await pause(momentMs)
    process.kill(pair.readReadyFile().services.auth[round % 2]?.pid as number, 'SIGKILL')
    const received = await Promise.all(responses)
    for (const response of received) expect([200, 400, 503]).toContain(response?.status ?? 503)
    // Requests in progress at the dead replica have been decided by then, and no further ones are sent to it.
    await pair.untilReady()
    const [winner, ...others] = received.filter((response) => response?.status === 200)
    expect(others).toEqual([])
    expect(await findInconsistentGrants(pair)).toEqual([])
    // A later exchange counts as theft and revokes the family: then both tokens are invalid.
    const usable = winner ? [await at.isAccepted(winner.body), (await at.refresh(winner.body.refresh_token)).status === 200] : []
    expect(new Set(usable).size).toBeLessThanOrEqual(1)
    expect((winner ? [400] : [200, 400]).includes((await at.refresh(token)).status)).toBe(true)
    expect(await at.isAccepted(await readTokens(at.exchangeCode(await at.authorize(browser))))).toBe(true)
  }
})

/** Returns whether there was no response: the connection broke, or the gateway returned 503. Any other failure is an error. */
function isUnanswered(response: { status: number } | null): boolean {
  if (response !== null && response.status < 500) return false
  expect(response?.status ?? 503).toBe(503)
  return true
}

async function expectRedirect(response: Promise<PageVisit>): Promise<PageVisit> {
  const visit = await response
  expect(visit).toMatchObject({ status: 303 })
  return visit
}

async function expectPage({ browser, visit }: FlowState, marker: string): Promise<PageVisit> {
  const page = await browser.get(visit.url.href)
  expect(page.body).toContain(marker)
  return page
}
