import { createBrowser, type Browser, type Visit } from '@quittance/testing/browser'
import { authentication, authorizationUrl, codeOf, passPages, postForm, redeem, refresh } from '@quittance/testing/oauth-client'
import type { ProtocolAnswer } from '@quittance/testing/oauth-client'
import type { RunningSystem } from '@quittance/testing/system'
import { expect } from 'vitest'

export interface Tokens {
  access_token: string
  refresh_token: string
}

/** What the demo person and the demo application can do at a system. */
export interface OAuthJourney {
  newBrowser(): Browser
  /** Where the application sends the person. */
  startUrl(parameters?: Record<string, string>): string
  signIn(browser: Browser, at: Visit): Promise<Visit>
  consent(browser: Browser, at: Visit): Promise<Visit>
  /** Answers whatever is asked, up to the call back. */
  pass(browser: Browser, from: Visit): Promise<Visit>
  /** The whole way for the person's own data; gives the code. */
  authorize(browser: Browser): Promise<string>
  exchangeCode(code: string): Promise<ProtocolAnswer>
  exchange(refreshToken: string): Promise<ProtocolAnswer>
  /** Gives back a family of tokens; the status of the answer. */
  revoke(tokens: Tokens): Promise<number>
  /** Whether the access token still is good for anything. */
  works(tokens: Tokens): Promise<boolean>
}

export function oauthAt({ facts, demo }: RunningSystem): OAuthJourney {
  const { base_url: baseUrl, auth_url: authUrl } = facts()
  const { user: person, oauth_client: client } = demo
  const answer = { action: 'allow', organization_id: demo.organization.id } as const
  const startUrl = (parameters = {}) => {
    const { client_id, redirect_uri } = client
    return authorizationUrl(authUrl, { client_id, redirect_uri, scope: 'openid email', ...parameters })
  }
  const pass = (browser: Browser, from: Visit) => passPages(browser, from, { person, answer })
  return {
    newBrowser: () => createBrowser([baseUrl]),
    startUrl,
    signIn: (browser, at) => browser.submit(at, { ...person }, '/sign-in'),
    consent: (browser, at) => browser.submit(at, { ...answer }, '/consent'),
    pass,
    authorize: async (browser) => codeOf(await pass(browser, await browser.get(startUrl({ sub_type: 'user' })))),
    exchangeCode: (code) => redeem(baseUrl, { client, code }),
    exchange: (token) => refresh(baseUrl, { client, token }),
    async revoke({ refresh_token: token }) {
      return (await postForm(`${baseUrl}/v1/oauth2/revoke`, { token, ...authentication(client) })).status
    },
    async works({ access_token }) {
      const { status } = await fetch(`${baseUrl}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })
      expect([200, 401]).toContain(status)
      return status === 200
    },
  }
}

/** The tokens of an answer that must be a success. */
export async function tokensOf(answer: Promise<ProtocolAnswer>): Promise<Tokens> {
  const { status, body } = await answer
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
