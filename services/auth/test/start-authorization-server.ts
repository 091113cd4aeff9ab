import { createAccount } from '@quittance/contracts/accounts'
import { createClient } from '@quittance/contracts/clients'
import { createOrganization } from '@quittance/contracts/organizations'
import type { Scope } from '@quittance/contracts/scopes'
import { createBrowser, type Browser } from '@quittance/testing/browser'
import { userCaller } from '@quittance/testing/callers'
import { startTestService, type TestService } from '@quittance/testing/harness'
import {
  authorizationUrl,
  readAuthorizationCode,
  completeInteraction,
  exchangeCode,
  type OAuthClient,
  type Person,
} from '@quittance/testing/oauth-client'
import { auth } from '../src/service.ts'
import { trustDocumentServers } from './document-server.ts'

/** The auth service with one user, an organization and a client that may request three scopes. */
export interface AuthorizationServerUnderTest extends AsyncDisposable {
  service: TestService
  origin: string
  person: Person & { id: string }
  organization: { id: string }
  client: OAuthClient
  scope: string
  /** `ip`: the client address that the gateway forwards. */
  newBrowser(ip?: string): Browser
  /** Runs a whole authorization, up to the token response. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what a test is about; it asserts it
  authorize(options?: { browser?: Browser; parameters?: Record<string, string> }): Promise<any>
}

const scopes: [Scope, ...Scope[]] = ['openid', 'email', 'orders:read']
const operator = { kind: 'operator' } as const

export async function startAuthorizationServer(): Promise<AuthorizationServerUnderTest> {
  trustDocumentServers()
  // A service that a failed start left running would answer the next test.
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await startTestService(auth))
  const credentials = { email: 'ada@example.com', password: 'correct horse' }
  const { id } = await service.call(createAccount, credentials, operator)
  const caller = userCaller({ userId: id, organizationIds: [] })
  const organization = await service.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, caller)
  const redirect_uri = 'https://app.example.com/callback'
  const client = { ...(await service.call(createClient, { name: 'App', redirect_uris: [redirect_uri], scopes }, operator)), redirect_uri }
  const origin = `http://127.0.0.1:${service.healthPort()}`
  const person = { ...credentials, id }
  const scope = scopes.join(' ')
  const newBrowser = (ip?: string) => createBrowser([origin, 'http://127.0.0.1:8080'], ip ? { 'x-forwarded-for': ip } : {})
  stack.move()
  return {
    service,
    origin,
    person,
    organization,
    client,
    scope,
    newBrowser,
    async authorize({ browser = newBrowser(), parameters = {} } = {}) {
      const query = { client_id: client.client_id, redirect_uri, scope, ...parameters }
      const first = await browser.get(authorizationUrl(origin, query))
      const done = await completeInteraction(browser, first, {
        person: credentials,
        answer: { action: 'allow', organization_id: organization.id },
      })
      const { status, body } = await exchangeCode(origin, { client, code: readAuthorizationCode(done) })
      if (status !== 200) throw new Error(`The code was not exchanged: ${status} ${JSON.stringify(body)}`)
      return body
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
