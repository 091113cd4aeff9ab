import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createBrowser, type Browser, type Visit } from '@quittance/testing/browser'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { passPages, type Answer, type OAuthClient, type Person } from '@quittance/testing/oauth-client'
import { joinSystem } from '@quittance/testing/join-system'
import { startSystem, type RunningSystem } from '@quittance/testing/system'
import * as oidc from 'openid-client'
import { Client } from 'pg'

/** The whole system, its API and its pages at two origins, with a person who is signed in and two clients of the operator. */
export interface RunningProvider {
  system: RunningSystem
  baseUrl: string
  authUrl: string
  person: Person
  /** Of which the person is a member. */
  organizationId: string
  confidential: OAuthClient
  open: OAuthClient
  newBrowser(): Browser
  /** What a request asks for unless a test says otherwise; null leaves a parameter out. */
  authorizationUrl(parameters?: Parameters): string
  /** The authorization page, in the browser that is signed in unless told. */
  ask(parameters?: Parameters, browser?: Browser): Promise<Visit>
  /** The real client, configured by discovery. */
  configure(client?: OAuthClient, authentication?: oidc.ClientAuth): Promise<oidc.Configuration>
  /** From the client's request to its call back; PKCE is always used. */
  authorize(options?: Authorization): Promise<Authorized>
  /** A whole authorization. */
  tokens(options?: Authorization): Promise<Tokens>
  /** Rows of the auth database, for what only time or a fault would bring about. */
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** What the operator does with `npm run quittance -- …`. */
  operate<Answer>(...command: string[]): Promise<Answer>
}

export type Parameters = Record<string, string | null>

interface Authorization {
  client?: OAuthClient
  browser?: Browser
  person?: Person
  parameters?: Parameters
  answer?: Answer
}

interface Authorized {
  config: oidc.Configuration
  /** Where the client was called back. */
  callback: URL
  verifier: string
  code: string
}

export type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers & { refresh_token: string; id_token: string }

interface Start {
  env?: Record<string, string>
  replicas?: string
}

const root = join(import.meta.dirname, '../..')

/** One that its starter stops. */
export interface StartedProvider extends RunningProvider, AsyncDisposable {}

/** In the system that other files use too, with a person, an organization and clients of its own. */
export async function joinProvider(): Promise<RunningProvider> {
  return providerAt(await joinSystem())
}

export async function startProvider({ env, replicas }: Start): Promise<StartedProvider> {
  const [port = 0] = await freePorts(1)
  const [baseUrl, authUrl] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const system = await startSystem({
    port,
    env: { RATE_LIMIT_PER_SECOND: '0', BASE_URL: baseUrl, AUTH_URL: authUrl, ...env },
    ...(replicas && { replicas }),
  })
  return { ...providerAt(system), [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() }
}

function providerAt(system: RunningSystem): RunningProvider {
  const { base_url: baseUrl, auth_url: authUrl } = system.facts()
  const { user: person, organization, oauth_client: confidential, public_oauth_client: open } = system.demo
  const newBrowser = () => createBrowser([baseUrl, authUrl])
  const signedIn = newBrowser()
  const through = (visit: Visit, { browser = signedIn, person: who = person, answer }: Authorization) =>
    passPages(browser, visit, { person: who, answer: answer ?? { action: 'allow', organization_id: organization.id } })

  const provider: RunningProvider = {
    system,
    baseUrl,
    authUrl,
    person,
    organizationId: organization.id,
    confidential,
    open,
    newBrowser,
    authorizationUrl(parameters = {}) {
      const { client_id, redirect_uri } = confidential
      return pageUrl(authUrl, { response_type: 'code', client_id, redirect_uri, scope: 'openid', ...parameters })
    },
    ask: (parameters, browser = signedIn) => browser.get(provider.authorizationUrl(parameters)),
    configure(client = confidential, authentication) {
      const auth = authentication ?? (client.client_secret ? oidc.ClientSecretPost(client.client_secret) : oidc.None())
      return oidc.discovery(new URL(baseUrl), client.client_id, undefined, auth, { execute: [oidc.allowInsecureRequests] })
    },
    async authorize(options = {}) {
      const { client = confidential, browser = signedIn, parameters } = options
      const config = await provider.configure(client)
      const verifier = oidc.randomPKCECodeVerifier()
      const asked = {
        client_id: client.client_id,
        redirect_uri: client.redirect_uri,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...parameters,
      }
      const { url, status, body } = await through(await browser.get(provider.authorizationUrl(asked)), options)
      const code = url.searchParams.get('code')
      if (!code) throw new Error(`No code in ${url.href} (${status}):\n${body.slice(body.indexOf('<main'), 2000)}`)
      return { config, callback: url, verifier, code }
    },
    async tokens(options = {}) {
      const { config, callback, verifier } = await provider.authorize(options)
      const expectedState = callback.searchParams.get('state') ?? undefined
      const expectedNonce = options.parameters?.['nonce']
      const checks = { pkceCodeVerifier: verifier, ...(expectedState && { expectedState }), ...(expectedNonce && { expectedNonce }) }
      return (await oidc.authorizationCodeGrant(config, callback, checks)) as Tokens
    },
    rows: (sql, values) => query(system, sql, values),
    async operate(...command) {
      const args = ['tools/src/quittance.ts', ...command, '--nats', system.facts().nats_url]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
      return JSON.parse(stdout)
    },
  }
  return provider
}

function pageUrl(authUrl: string, parameters: Parameters): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${authUrl}/oauth2/authorize?${new URLSearchParams(given)}`
}

async function query<Row>(system: RunningSystem, sql: string, values?: unknown[]): Promise<Row[]> {
  const url = new URL(system.facts().postgres_url ?? '')
  url.pathname = '/auth'
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows as Row[]
  } finally {
    await client.end()
  }
}
