import { refresh } from '@quittance/testing/oauth-client'
import { expect, test } from 'vitest'
import { startAuthorizationServer } from './start-authorization-server.ts'

test('returns 503 from the protocol and the pages while a table is locked', async () => {
  await using server = await startAuthorizationServer()
  const { client, origin, scope, service } = server
  const browser = server.newBrowser()
  const { refresh_token: token } = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const release = await service.holdTransaction('lock table refresh_tokens, sessions in access exclusive mode')
  const authorization = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    scope,
    response_type: 'code',
  })
  const [exchange, ...pages] = await Promise.all([
    refresh(origin, { client, token }),
    browser.get(`${origin}/oauth2/authorize?${authorization.toString()}`),
    browser.get(`${origin}/oauth2/account`),
  ])
  await release()
  expect(exchange).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable', detail: expect.any(String) } })
  expect(pages).toMatchObject([{ status: 503 }, { status: 503 }])
  for (const { headers } of [exchange, ...pages]) expect(headers.get('retry-after')).toBe('1')
  expect(await refresh(origin, { client, token })).toMatchObject({ status: 200 })
})
