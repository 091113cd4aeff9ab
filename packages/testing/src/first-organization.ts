import { randomBytes } from 'node:crypto'
import { createOrganizationAccessToken } from '@quittance/contracts/access-tokens'
import { createAccount } from '@quittance/contracts/accounts'
import type { Caller } from '@quittance/contracts/caller'
import { createOrganization } from '@quittance/contracts/organizations'
import { scopes } from '@quittance/contracts/scopes'
import { connectNats } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'

/** An organization and what acts for it. */
export interface FirstOrganization {
  organizationId: string
  /** Organization access token with every scope. */
  token: string
  user: { email: string; password: string }
}

/** Makes an account with an organization and a token in a system that has none; `operatorUrl` is NATS with the operator's credentials. */
export async function makeFirstOrganization(operatorUrl: string): Promise<FirstOrganization> {
  const connection = await connectNats({ name: 'operator', url: operatorUrl })
  const suffix = randomBytes(4).toString('hex')
  const user = { email: `owner-${suffix}@example.com`, password: randomBytes(12).toString('base64url') }
  try {
    const account = await call(connection, {
      operation: createAccount,
      request: { ...user, email_verified: true },
      caller: { kind: 'operator' },
    })
    const member = (organizationIds: string[]): Caller => ({
      kind: 'user',
      user_id: account.id,
      organization_ids: organizationIds,
      token_id: 'operator',
      client_id: null,
    })
    const organization = await call(connection, {
      operation: createOrganization,
      request: { name: 'Test Organization', slug: `test-${suffix}` },
      caller: member([]),
    })
    const { token } = await call(connection, {
      operation: createOrganizationAccessToken,
      request: { organization_id: organization.id, comment: 'Tests', scopes },
      caller: member([organization.id]),
    })
    return { organizationId: organization.id, token, user }
  } finally {
    await connection.close()
  }
}
