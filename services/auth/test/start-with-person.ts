import { randomUUID } from 'node:crypto'
import { createPersonalAccessToken } from '@quittance/contracts/access-tokens'
import { createAccount } from '@quittance/contracts/accounts'
import { tokenRevoked, verifyToken } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { createClient } from '@quittance/contracts/clients'
import { createOrganization } from '@quittance/contracts/organizations'
import type { Scope } from '@quittance/contracts/scopes'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { expect } from 'vitest'
import { auth } from '../src/service.ts'

export const operator = { kind: 'operator' } as const
export const nobody = { kind: 'anonymous' } as const

/** A person with a credential that has every scope. */
export function personCaller(userId: string, organizationIds: string[]) {
  return { kind: 'user', user_id: userId, organization_ids: organizationIds, token_id: 'operator', client_id: null } as const
}

/** A third-party application that acts for a person. */
export function applicationCaller(userId: string, organizationIds: string[]): Caller {
  return { ...personCaller(userId, organizationIds), token_id: 'at_0123456789abcdef', client_id: 'qt_ci_application' }
}

export async function addAccount(service: TestService, email: string): Promise<string> {
  return (await service.call(createAccount, { email, password: 'correct horse' }, operator)).id
}

/** The service with Ada, the only member of Acme Books. */
export async function startWithPerson() {
  const service = await startTestService(auth)
  const userId = await addAccount(service, 'ada@example.com')
  const { id } = await service.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, personCaller(userId, []))
  // What gateways remember of a person is forgotten whenever their organizations change.
  expect(await service.nextEvent(tokenRevoked)).toMatchObject({ user_id: userId })
  return { service, userId, organizationId: id, person: personCaller(userId, [id]), application: applicationCaller(userId, [id]) }
}

/** Who is behind a token, as the gateway is told. */
export function verify(service: TestService, token: string) {
  return service.call(verifyToken, { hash: hashToken(token) }, nobody)
}

/** The caller behind a new personal access token with these scopes. */
export async function personWith(service: TestService, userId: string, scopes: [Scope, ...Scope[]]): Promise<Caller> {
  const { token } = await service.call(createPersonalAccessToken, { user_id: userId, scopes }, operator)
  return (await verify(service, token)).caller
}

export async function addClient(service: TestService): Promise<string> {
  const asked = { name: 'App', redirect_uris: ['https://app.example.com/callback'], scopes: ['openid' as const] }
  return (await service.call(createClient, asked, operator)).client_id
}

interface Consent {
  userId: string
  clientId: string
  /** Null for a grant of the person. */
  organizationId: string | null
}

/** An authorization with its remembered consent, as the authorization server keeps them; gives the id of the grant. */
export async function addGrant(service: TestService, { userId, clientId, organizationId }: Consent): Promise<string> {
  const id = randomUUID()
  await service.rows(
    `insert into grants (id, account_id, client_id, sub_type, organization_id, payload, expires_at)
     values ($1, $2, $3, $4, $5, '{}', now() + interval '1 day')`,
    [id, userId, clientId, organizationId ? 'organization' : 'user', organizationId],
  )
  await service.rows(
    `insert into consents (account_id, client_id, organization_id, scopes) values ($1, $2, $3, '{openid}') on conflict do nothing`,
    [userId, clientId, organizationId],
  )
  return id
}

/** An OAuth access token of a grant, as the authorization server keeps it; gives the clear token. */
export async function addAccessToken(service: TestService, grantId: string, payload: Record<string, unknown>): Promise<string> {
  const token = mintToken('qt_at_')
  await service.rows(
    `insert into oauth_access_tokens (token_hash, grant_id, payload, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    [hashToken(token), grantId, JSON.stringify({ extra: { organization_id: randomUUID() }, ...payload })],
  )
  return token
}
