import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createBrowser, type Browser, type PageVisit } from '@quittance/testing/browser'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { completeInteraction, type ConsentDecision, type OAuthClient, type Person } from '@quittance/testing/oauth-client'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { startSystem, type RunningSystem } from '@quittance/testing/system'
import * as oidc from 'openid-client'
import { Client } from 'pg'

/** The whole system with its API and its pages at two origins, a signed-in user and two clients of the operator. */
export interface RunningProvider {
  system: RunningSystem
  baseUrl: string
  authUrl: string
  person: Person
  /** An organization of the user. */
  organizationId: string
  confidential: OAuthClient
  publicClient: OAuthClient
  newBrowser(): Browser
  /** Returns the address of an authorization request; parameters override the defaults, null omits one. */
  authorizationUrl(parameters?: Parameters): string
  /** Opens the authorization page; by default in the signed-in browser. */
  openAuthorizationPage(parameters?: Parameters, browser?: Browser): Promise<PageVisit>
  /** Returns a real client, configured by discovery. */
  configure(client?: OAuthClient, authentication?: oidc.ClientAuth): Promise<oidc.Configuration>
  /** Runs the flow from the client's request to its callback, always with PKCE. */
  authorize(options?: AuthorizationOptions): Promise<CompletedAuthorization>
  /** Runs a whole authorization. */
  obtainTokens(options?: AuthorizationOptions): Promise<Tokens>
  /** Executes SQL in the auth database, for states that only time or a fault would produce. */
  rows<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Runs an operator command of `npm run quittance -- …`. */
  runOperatorCommand<Answer>(...command: string[]): Promise<Answer>
}

/** Creates an account that can sign in. */
export function createAccount(provider: RunningProvider, { email, password }: Person): Promise<{ id: string }> {
  return provider.runOperatorCommand('account', 'create', '--email', email, '--password', password)
}

export type Parameters = Record<string, string | null>

interface AuthorizationOptions {
  client?: OAuthClient
  browser?: Browser
  person?: Person
  parameters?: Parameters
  answer?: ConsentDecision
}

interface CompletedAuthorization {
  config: oidc.Configuration
  /** Address of the callback. */
  callback: URL
  verifier: string
  code: string
}

export type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers & { refresh_token: string; id_token: string }

interface ProviderOptions {
  env?: Record<string, string>
  replicas?: string
}

const root = join(import.meta.dirname, '../..')

/** A provider that the test stops. */
export interface StartedProvider extends RunningProvider, AsyncDisposable {}

/** Uses the system shared with other test files, but its own user, organization and clients. */
export async function useSharedProvider(): Promise<RunningProvider> {
  return createProvider(await useSharedSystem())
}

export async function startProvider({ env, replicas }: ProviderOptions): Promise<StartedProvider> {
  const [port = 0] = await freePorts(1)
  const [baseUrl, authUrl] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const system = await startSystem({
    port,
    env: { RATE_LIMIT_PER_SECOND: '0', BASE_URL: baseUrl, AUTH_URL: authUrl, ...env },
    ...(replicas && { replicas }),
  })
  return { ...createProvider(system), [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() }
}

function createProvider(system: RunningSystem): RunningProvider {
  const { base_url: baseUrl, auth_url: authUrl } = system.readReadyFile()
  const { user: person, organization, oauth_client: confidential, public_oauth_client: publicClient } = system.demo
  const newBrowser = () => createBrowser([baseUrl, authUrl])
  const signedIn = newBrowser()
  const completePages = (visit: PageVisit, { browser = signedIn, person: who = person, answer }: AuthorizationOptions) =>
    completeInteraction(browser, visit, { person: who, answer: answer ?? { action: 'allow', organization_id: organization.id } })

  const provider: RunningProvider = {
    system,
    baseUrl,
    authUrl,
    person,
    organizationId: organization.id,
    confidential,
    publicClient,
    newBrowser,
    authorizationUrl(parameters = {}) {
      const { client_id, redirect_uri } = confidential
      return pageUrl(authUrl, { response_type: 'code', client_id, redirect_uri, scope: 'openid', ...parameters })
    },
    openAuthorizationPage: (parameters, browser = signedIn) => browser.get(provider.authorizationUrl(parameters)),
    configure(client = confidential, authentication) {
      const auth = authentication ?? (client.client_secret ? oidc.ClientSecretPost(client.client_secret) : oidc.None())
      return oidc.discovery(new URL(baseUrl), client.client_id, undefined, auth, { execute: [oidc.allowInsecureRequests] })
    },
    async authorize(options = {}) {
      const { client = confidential, browser = signedIn, parameters } = options
      const config = await provider.configure(client)
      const verifier = oidc.randomPKCECodeVerifier()
      const requestParameters = {
        client_id: client.client_id,
        redirect_uri: client.redirect_uri,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...parameters,
      }
      const { url, status, body } = await completePages(await browser.get(provider.authorizationUrl(requestParameters)), options)
      const code = url.searchParams.get('code')
      if (!code) throw new Error(`No code in ${url.href} (${status}):\n${body.slice(body.indexOf('<main'), 2000)}`)
      return { config, callback: url, verifier, code }
    },
    async obtainTokens(options = {}) {
      const { config, callback, verifier } = await provider.authorize(options)
      const expectedState = callback.searchParams.get('state') ?? undefined
      const expectedNonce = options.parameters?.['nonce']
      const checks = { pkceCodeVerifier: verifier, ...(expectedState && { expectedState }), ...(expectedNonce && { expectedNonce }) }
      return (await oidc.authorizationCodeGrant(config, callback, checks)) as Tokens
    },
    rows: (sql, values) => query(system, sql, values),
    async runOperatorCommand(...command) {
      const { nats_url, operator_bus_key, bus_public_keys } = system.readReadyFile()
      const args = ['tools/src/quittance.ts', ...command, '--nats', nats_url]
      const env = { ...process.env, BUS_KEY: operator_bus_key, BUS_PUBLIC_KEYS: bus_public_keys }
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env })
      return JSON.parse(stdout)
    },
  }
  return provider
}

function pageUrl(authUrl: string, parameters: Parameters): string {
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  return `${authUrl}/oauth2/authorize?${new URLSearchParams(present)}`
}

async function query<Row>(system: RunningSystem, sql: string, values?: unknown[]): Promise<Row[]> {
  const url = new URL(system.readReadyFile().postgres_url ?? '')
  url.pathname = '/auth'
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows as Row[]
  } finally {
    await client.end()
  }
}
