import type { Caller } from '@quittance/contracts/caller'
import { registerClient } from '@quittance/contracts/clients'
import type { ReplyOf, RequestInput } from '@quittance/contracts/operation'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { userCaller } from '@quittance/testing/callers'
import { authorizationUrl, readAuthorizationCode, completeInteraction, pkcePair, exchangeCode } from '@quittance/testing/oauth-client'
import type { AuthorizationServerUnderTest } from './start-authorization-server.ts'

type Registered = ReplyOf<typeof registerClient>

/** Returns the server's user as a caller that may manage clients. */
export function toOwnerCaller({ person, organization }: AuthorizationServerUnderTest): Caller {
  return userCaller({ userId: person.id, organizationIds: [organization.id] })
}

/** Registers a third-party client, which is not trusted. */
export function registerThirdParty(
  server: AuthorizationServerUnderTest,
  metadata: Partial<RequestInput<typeof registerClient>> = {},
): Promise<Registered> {
  const minimal = { client_name: 'Ledger', redirect_uris: ['https://ledger.example.com/callback'], scope: 'openid email' }
  return server.service.call(registerClient, { ...minimal, ...metadata }, toOwnerCaller(server))
}

interface Asking {
  client: Pick<Registered, 'client_id' | 'redirect_uris' | 'client_secret'>
  browser: Browser
  parameters?: Record<string, string>
}

const { verifier, challenge } = pkcePair()

/** Opens the authorization page, with PKCE. */
export function askFor(server: AuthorizationServerUnderTest, { client, browser, parameters }: Asking): Promise<PageVisit> {
  const query = {
    client_id: client.client_id,
    redirect_uri: client.redirect_uris[0] ?? '',
    scope: 'openid',
    sub_type: 'user',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...parameters,
  }
  return browser.get(authorizationUrl(server.origin, query))
}

/** Signs in if required and allows; returns the final page. */
export async function allowFor(server: AuthorizationServerUnderTest, asking: Asking): Promise<PageVisit> {
  return completeInteraction(asking.browser, await askFor(server, asking), { person: server.person, answer: { action: 'allow' } })
}

/** Runs a whole authorization, up to the token response. */
export async function tokensFor(server: AuthorizationServerUnderTest, asking: Asking) {
  const { client_id, client_secret, redirect_uris } = asking.client
  const redirect_uri = asking.parameters?.['redirect_uri'] ?? redirect_uris[0] ?? ''
  const code = readAuthorizationCode(await allowFor(server, asking))
  return exchangeCode(server.origin, { client: { client_id, client_secret: client_secret ?? null, redirect_uri }, code, verifier })
}
