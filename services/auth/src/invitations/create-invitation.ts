import { randomUUID } from 'node:crypto'
import { accountMailRequested } from '@quittance/contracts/invitations'
import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { sealSecret } from '@quittance/runtime/encryption'
import type { Transaction } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { routes } from '../routes.ts'

interface InvitationOptions {
  organizationId: string
  email: string
  /** Account of the member who invites. */
  invitedBy: string
}

interface CreatedInvitation {
  id: string
  email: string
  created_at: string
  expires_at: string
  /** The link with the one-time token, which is stored as a hash. */
  url: string
}

const replace = `update invitations set closed_at = now(), outcome = 'replaced'
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(email) = lower(:email) and closed_at is null`

const insert = `
  insert into invitations (id, organization_id, email, invited_by, token_hash, expires_at)
  select :id::uuid, :organization_id::uuid, :email::text, :invited_by::uuid, :token_hash::text, now() + interval '7 days'
  where :organization_id::uuid = any (:scope_organizations)
  returning id, email, to_json(created_at)#>>'{}' as created_at, to_json(expires_at)#>>'{}' as expires_at`

/**
 * Creates an invitation in place of an open one to the same address, and has its link mailed. Reads no account: known and unknown addresses are handled alike. The
 * caller holds the lock on the organization.
 */
export async function createInvitation(
  { sql, publish }: Pick<Transaction, 'sql' | 'publish'>,
  { organizationId, email, invitedBy }: InvitationOptions,
): Promise<CreatedInvitation> {
  const token = mintToken('qt_inv_')
  await sql('invitation.replace', replace, { organization_id: organizationId, email })
  const [created] = await sql<Omit<CreatedInvitation, 'url'>>('invitation.create', insert, {
    id: randomUUID(),
    organization_id: organizationId,
    email,
    invited_by: invitedBy,
    token_hash: hashToken(token),
  })
  if (!created) throw new Error('An insert returned no row')
  const url = `${config().AUTH_URL}${routes.invitations}?token=${token}`
  const keys = config().MAIL_KEY
  if (keys) {
    const sealed_url = sealSecret(url, { keys, context: mailSecretContext('invitation', created.id) })
    const payload = {
      kind: 'invitation' as const,
      source_id: created.id,
      recipient: email,
      locale: null,
      expires_at: created.expires_at,
      sealed_url,
    }
    publish({ event: accountMailRequested, aggregateId: created.id, organizationId, payload })
  }
  return { ...created, url }
}
