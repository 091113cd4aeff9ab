import { createBrowser } from '@quittance/testing/browser'
import { authorizationUrl, readAuthorizationCode, completeInteraction, exchangeCode } from '@quittance/testing/oauth-client'
import type { Quittance } from './quittance.ts'

/** Returns refresh tokens of the demo application, each from a separate authorization by the demo user. */
export async function authorizeOften({ origin, demo }: Quittance, { scope, count }: { scope: string; count: number }): Promise<string[]> {
  const { user: person, oauth_client: client } = demo
  const browser = createBrowser([origin])
  const parameters = { client_id: client.client_id, redirect_uri: client.redirect_uri, scope, sub_type: 'user' }
  const tokens: string[] = []
  for (let index = 0; index < count; index += 1) {
    const first = await browser.get(authorizationUrl(origin, parameters))
    const code = readAuthorizationCode(await completeInteraction(browser, first, { person, answer: { action: 'allow' } }))
    const { status, body } = await exchangeCode(origin, { client, code })
    if (status !== 200) throw new Error(`A code was not exchanged: ${status} ${JSON.stringify(body)}`)
    tokens.push(body.refresh_token)
  }
  return tokens
}
