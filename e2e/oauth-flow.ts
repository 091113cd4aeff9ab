import { createBrowser, type Browser, type PageVisit } from '@quittance/testing/browser'
import {
  authentication,
  authorizationUrl,
  readAuthorizationCode,
  completeInteraction,
  postForm,
  exchangeCode,
  refresh,
  type ProtocolResponse,
} from '@quittance/testing/oauth-client'
import type { RunningSystem } from '@quittance/testing/system'
import { expect } from 'vitest'

export interface Tokens {
  access_token: string
  refresh_token: string
}

/** Steps of the demo user and the demo application in a system. */
export interface OAuthFlow {
  newBrowser(): Browser
  /** Address to which the application redirects the user. */
  startUrl(parameters?: Record<string, string>): string
  signIn(browser: Browser, at: PageVisit): Promise<PageVisit>
  consent(browser: Browser, at: PageVisit): Promise<PageVisit>
  /** Completes every interaction up to the callback. */
  completeInteractions(browser: Browser, from: PageVisit): Promise<PageVisit>
  /** Performs the whole flow for the user's own data; returns the authorization code. */
  authorize(browser: Browser): Promise<string>
  exchangeCode(code: string): Promise<ProtocolResponse>
  refresh(refreshToken: string): Promise<ProtocolResponse>
  /** Revokes a family of tokens; returns the status of the response. */
  revoke(tokens: Tokens): Promise<number>
  /** Returns whether the access token is still accepted. */
  isAccepted(tokens: Tokens): Promise<boolean>
}

export function createOAuthFlow({ readReadyFile, demo }: RunningSystem): OAuthFlow {
  const { base_url: baseUrl, auth_url: authUrl } = readReadyFile()
  const { user: person, oauth_client: client } = demo
  const answer = { action: 'allow', organization_id: demo.organization.id } as const
  const startUrl = (parameters = {}) => {
    const { client_id, redirect_uri } = client
    return authorizationUrl(authUrl, { client_id, redirect_uri, scope: 'openid email', ...parameters })
  }
  const completeInteractions = (browser: Browser, from: PageVisit) => completeInteraction(browser, from, { person, answer })
  return {
    newBrowser: () => createBrowser([baseUrl]),
    startUrl,
    signIn: (browser, at) => browser.submit(at, { ...person }, '/sign-in'),
    consent: (browser, at) => browser.submit(at, { ...answer }, '/consent'),
    completeInteractions,
    authorize: async (browser) =>
      readAuthorizationCode(await completeInteractions(browser, await browser.get(startUrl({ sub_type: 'user' })))),
    exchangeCode: (code) => exchangeCode(baseUrl, { client, code }),
    refresh: (token) => refresh(baseUrl, { client, token }),
    async revoke({ refresh_token: token }) {
      return (await postForm(`${baseUrl}/v1/oauth2/revoke`, { token, ...authentication(client) })).status
    },
    async isAccepted({ access_token }) {
      const { status } = await fetch(`${baseUrl}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })
      expect([200, 401]).toContain(status)
      return status === 200
    },
  }
}

/** Returns the tokens of a response that must be successful. */
export async function readTokens(response: Promise<ProtocolResponse>): Promise<Tokens> {
  const { status, body } = await response
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
