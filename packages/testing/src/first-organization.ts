import { randomBytes } from 'node:crypto'
import { createOrganizationAccessToken } from '@quittance/contracts/access-tokens'
import { createAccount } from '@quittance/contracts/accounts'
import type { Caller } from '@quittance/contracts/caller'
import { createOrganization } from '@quittance/contracts/organizations'
import { scopes } from '@quittance/contracts/scopes'
import { connectAsOperator, type OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { call } from '@quittance/runtime/rpc-client'

/** An organization with its credentials. */
export interface FirstOrganization {
  organizationId: string
  /** Organization access token with every scope. */
  token: string
  user: { email: string; password: string }
}

/** Creates an account with an organization and a token in an empty system. */
export async function createFirstOrganization(operator: OperatorAccess): Promise<FirstOrganization> {
  const connection = await connectAsOperator(operator)
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
