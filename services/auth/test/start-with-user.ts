import { randomUUID } from 'node:crypto'
import { createPersonalAccessToken } from '@quittance/contracts/access-tokens'
import { createAccount } from '@quittance/contracts/accounts'
import { tokenRevoked, verifyToken } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { createClient } from '@quittance/contracts/clients'
import { createOrganization } from '@quittance/contracts/organizations'
import type { PersonalScope } from '@quittance/contracts/scopes'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { expect } from 'vitest'
import { auth } from '../src/service.ts'
import { trustDocumentServers } from './document-server.ts'

export const operator = { kind: 'operator' } as const
export const anonymous = { kind: 'anonymous' } as const

/** Creates a user caller with every scope. */
export function userCallerFor(userId: string, organizationIds: string[]) {
  return { kind: 'user', user_id: userId, organization_ids: organizationIds, token_id: 'operator', client_id: null } as const
}

/** Creates the caller of a third-party application that acts for a user. */
export function applicationCaller(userId: string, organizationIds: string[]): Caller {
  return { ...userCallerFor(userId, organizationIds), token_id: 'at_0123456789abcdef', client_id: 'qt_ci_application' }
}

export async function addAccount(service: TestService, email: string): Promise<string> {
  return (await service.call(createAccount, { email, password: 'correct horse' }, operator)).id
}

/** Creates an account with a verified e-mail address; returns its id. */
export async function addVerifiedAccount(service: TestService, email: string): Promise<string> {
  return (await service.call(createAccount, { email, password: 'correct horse', email_verified: true }, operator)).id
}

/** Starts the service with Ada, the only member of Acme Books. */
export async function startWithUser() {
  trustDocumentServers()
  // A service that a failed start left running would answer the next test.
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await startTestService(auth))
  const userId = await addAccount(service, 'ada@example.com')
  const { id } = await service.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, userCallerFor(userId, []))
  // Gateways evict what they cache of a user whenever the memberships change.
  expect(await service.nextEvent(tokenRevoked)).toMatchObject({ user_id: userId })
  stack.move()
  return { service, userId, organizationId: id, person: userCallerFor(userId, [id]), application: applicationCaller(userId, [id]) }
}

/** Returns the caller of a token, as the gateway receives it. */
export function verify(service: TestService, token: string) {
  return service.call(verifyToken, { hash: hashToken(token) }, anonymous)
}

/** Creates a personal access token with these scopes and returns its caller. */
export async function createTokenCaller(
  service: TestService,
  userId: string,
  scopes: [PersonalScope, ...PersonalScope[]],
): Promise<Caller> {
  const { token } = await service.call(createPersonalAccessToken, { user_id: userId, scopes }, operator)
  return (await verify(service, token)).caller
}

export async function addClient(service: TestService): Promise<string> {
  const request = { name: 'App', redirect_uris: ['https://app.example.com/callback'], scopes: ['openid' as const] }
  return (await service.call(createClient, request, operator)).client_id
}

interface Consent {
  userId: string
  clientId: string
  /** Null for a grant of the user. */
  organizationId: string | null
}

/** Stores an authorization with its remembered consent, as the authorization server does; returns the id of the grant. */
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

/** Stores an OAuth access token of a grant, as the authorization server does; returns the clear token. */
export async function addAccessToken(service: TestService, grantId: string, payload: Record<string, unknown>): Promise<string> {
  const token = mintToken('qt_at_')
  await service.rows(
    `insert into oauth_access_tokens (token_hash, grant_id, payload, expires_at) values ($1, $2, $3, now() + interval '1 hour')`,
    [hashToken(token), grantId, JSON.stringify({ extra: { organization_id: randomUUID() }, ...payload })],
  )
  return token
}
