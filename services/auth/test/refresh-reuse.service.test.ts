import { connectTo } from '@quittance/testing/database'
import { eventually } from '@quittance/testing/eventually'
import {
  authentication,
  authorizationUrl,
  completeInteraction,
  exchangeCode,
  postForm,
  readAuthorizationCode,
  refresh,
} from '@quittance/testing/oauth-client'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const renew = (server: AuthorizationServerUnderTest, token: string) => refresh(server.origin, { client: server.client, token })

async function startRefreshed() {
  const server = await startAuthorizationServer()
  const { refresh_token: first } = await server.authorize({ parameters: { sub_type: 'user' } })
  const { body } = await renew(server, first)
  return { server, first, second: body.refresh_token as string, accessToken: body.access_token as string }
}

const used = { status: 400, body: { error: 'invalid_grant' } }

test('rejects repetitions that a busy machine reads after the reply, and keeps the family', async () => {
  const { server: started, first, second } = await startRefreshed()
  await using server = started
  for (let repetition = 0; repetition < 9; repetition++) expect(await renew(server, first)).toMatchObject(used)
  expect(await renew(server, second)).toMatchObject({ status: 200 })
})

test('exactly one of ten concurrent refreshes succeeds, repeatedly, and its tokens work', async () => {
  await using server = await startAuthorizationServer()
  let { refresh_token: token } = await server.authorize({ parameters: { sub_type: 'user' } })
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => renew(server, token)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    token = won[0]?.body.refresh_token
  }
})

test.each([
  [
    'half a minute later',
    (server: AuthorizationServerUnderTest) =>
      server.service.rows(`update refresh_tokens set consumed_at = consumed_at - interval '30 seconds' where consumed_at is not null`),
    {},
  ],
  ['from another address', async () => {}, { 'x-forwarded-for': '203.0.113.7' }],
])('reusing a refresh token %s is theft and ends the family', async (_, meanwhile, headers) => {
  const { server: started, first, second, accessToken } = await startRefreshed()
  await using server = started
  await meanwhile(server)
  const fields = { grant_type: 'refresh_token', refresh_token: first, ...authentication(server.client) }
  expect(await postForm(`${server.origin}/v1/oauth2/token`, fields, headers as Record<string, string>)).toMatchObject(used)
  expect(await renew(server, second)).toMatchObject(used)
  const userinfo = await fetch(`${server.origin}/v1/oauth2/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
  expect(userinfo.status).toBe(401)
})

test('reusing a refresh token after its successor was used is theft at any time', async () => {
  const { server: started, first, second } = await startRefreshed()
  await using server = started
  const { body: third } = await renew(server, second)
  expect(await renew(server, first)).toMatchObject(used)
  expect(await renew(server, third.refresh_token)).toMatchObject(used)
})

/** Makes the clock of the database ahead of the one of this machine, for connections that are opened from now on. */
async function advanceDatabaseClock({ rows }: AuthorizationServerUnderTest['service']): Promise<void> {
  await rows(`create function public.now() returns timestamptz language sql stable as $$ select pg_catalog.now() + interval '5 seconds' $$`)
  await rows(`do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`)
}

async function requestCode({ client, scope, person, origin, newBrowser }: AuthorizationServerUnderTest): Promise<string> {
  const browser = newBrowser()
  const parameters = { client_id: client.client_id, redirect_uri: client.redirect_uri, scope, sub_type: 'user' }
  const page = await browser.get(authorizationUrl(origin, parameters))
  return readAuthorizationCode(await completeInteraction(browser, page, { person, answer: { action: 'allow' } }))
}

test('reusing a code ends its family, also if the clock of the database is ahead', async () => {
  await using server = await startAuthorizationServer()
  const { client, service } = server
  const code = await requestCode(server)
  await advanceDatabaseClock(service)
  await service.restart()
  const origin = `http://127.0.0.1:${service.healthPort()}`
  const { body } = await exchangeCode(origin, { client, code })
  expect(body).toMatchObject({ token_type: 'Bearer' })
  expect(await exchangeCode(origin, { client, code })).toMatchObject(used)
  expect(await refresh(origin, { client, token: body.refresh_token })).toMatchObject(used)
})

test.each([
  [
    'refresh token',
    async (server: AuthorizationServerUnderTest) => {
      const { refresh_token: token } = await server.authorize({ parameters: { sub_type: 'user' } })
      return () => renew(server, token)
    },
  ],
  [
    'code',
    async (server: AuthorizationServerUnderTest) => {
      const code = await requestCode(server)
      return () => exchangeCode(server.origin, { client: server.client, code })
    },
  ],
])('a %s that is used while its grant is revoked is invalid, without a deadlock', async (_, prepare) => {
  await using server = await startAuthorizationServer()
  const use = await prepare(server)
  await using closers = new AsyncDisposableStack()
  const revocation = await connectTo(server.service.databaseUrl as string)
  closers.defer(() => revocation.end())
  await revocation.query('begin')
  await revocation.query('select from grants for update')
  const answer = use()
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(async () => expect(await server.service.rows(waiting)).toHaveLength(1))
  await revocation.query('delete from grants')
  await revocation.query('commit')
  expect(await answer).toMatchObject(used)
})
