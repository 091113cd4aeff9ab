import { verifyGrant } from '@quittance/contracts/auth'
import { InvalidToken } from '@quittance/contracts/errors'
import { hashToken } from '@quittance/runtime/credential'
import type { TestService } from '@quittance/testing/harness'
import { expect, test } from 'vitest'
import { addAccessToken, addClient, addGrant, anonymous, startWithUser, verify } from './start-with-user.ts'

async function startWithTokens() {
  const started = await startWithUser()
  const { service, userId, organizationId } = started
  const clientId = await addClient(service)
  const grantId = await addGrant(service, { userId, clientId, organizationId })
  const ownGrantId = await addGrant(service, { userId, clientId, organizationId: null })
  const token = await addAccessToken(service, grantId, { scope: 'openid orders:read orders:gone', jkt: 'thumbprint' })
  const ownToken = await addAccessToken(service, ownGrantId, {})
  return { ...started, clientId, grantId, ownGrantId, token, ownToken }
}

const askGrant = (service: TestService, id: string) => service.call(verifyGrant, { grant_id: id, token_id: 'jti' }, anonymous)

test('the caller of an OAuth token comes from its grant, not from its claims', async () => {
  const { service, userId, organizationId, clientId, grantId, token } = await startWithTokens()
  await using auth = service
  const verified = await verify(auth, token)
  expect(verified).toEqual({
    caller: {
      kind: 'organization',
      organization_id: organizationId,
      user_id: userId,
      client_id: clientId,
      token_id: `at_${hashToken(token).slice(0, 16)}`,
    },
    scopes: ['openid', 'orders:read'],
    expires_at: expect.any(String),
    confirmation: { jkt: 'thumbprint' },
    grant_id: grantId,
  })
  expect(Date.parse(verified.expires_at ?? '')).toBeGreaterThan(Date.now())
  expect(await askGrant(auth, grantId)).toEqual({ caller: { ...verified.caller, token_id: 'jti' } })
})

test('an OAuth token of a user sees the user’s current memberships', async () => {
  const { service, userId, organizationId, clientId, ownGrantId, ownToken } = await startWithTokens()
  await using auth = service
  const caller = { kind: 'user', user_id: userId, organization_ids: [organizationId], client_id: clientId }
  const verified = await verify(auth, ownToken)
  expect(verified).toMatchObject({ caller, scopes: [], confirmation: null, grant_id: ownGrantId })
  expect(await askGrant(auth, ownGrantId)).toMatchObject({ caller })
  await auth.rows('delete from members')
  expect((await verify(auth, ownToken)).caller).toMatchObject({ organization_ids: [] })
  expect((await askGrant(auth, ownGrantId)).caller).toMatchObject({ organization_ids: [] })
})

test('rejects an organization’s OAuth token after the user has left, accepts it on return', async () => {
  const { service, userId, organizationId, grantId, token } = await startWithTokens()
  await using auth = service
  await auth.rows('delete from members')
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  await expect(askGrant(auth, grantId)).rejects.toThrow(InvalidToken)
  await auth.rows('insert into members (organization_id, account_id) values ($1, $2)', [organizationId, userId])
  expect((await verify(auth, token)).grant_id).toBe(grantId)
})

test.each([
  ['its client is deleted', `update clients set deleted_at = now()`],
  ['its grant has ended', `update grants set expires_at = now() - interval '1 second'`],
  ['its grant is gone', `delete from grants`],
])('rejects an OAuth token and its grant when %s', async (_, sql) => {
  const { service, grantId, ownGrantId, token, ownToken } = await startWithTokens()
  await using auth = service
  await auth.rows(sql)
  for (const credential of [token, ownToken]) await expect(verify(auth, credential)).rejects.toThrow(InvalidToken)
  for (const id of [grantId, ownGrantId, 'unknown']) await expect(askGrant(auth, id)).rejects.toThrow(InvalidToken)
})

test('rejects an OAuth token from the second it expires; its grant stays active', async () => {
  const { service, grantId, token } = await startWithTokens()
  await using auth = service
  await auth.rows(`update oauth_access_tokens set expires_at = now()`)
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  await expect(verify(auth, 'qt_at_unknown')).rejects.toThrow(InvalidToken)
  expect((await askGrant(auth, grantId)).caller.kind).toBe('organization')
})
