import type { SystemSql } from '@quittance/sql/sql-runner'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { routes } from '../routes.ts'

const isKnown = `
  select 1 where exists (select from consents where account_id = :account_id and client_id = :client_id)
    or exists (select from grants where account_id = :account_id and client_id = :client_id)`

/**
 * Returns whether an error may be redirected to the client without user action. Anyone can register a client, so a link that provokes an
 * error would make this server an open redirector (RFC 9700 §4.11.2). Redirected are: errors of the operator's clients; errors for a user
 * who has just completed a page of this server or has allowed this client before; and errors in a hidden frame with `prompt=none`, which
 * moves no user. All other errors show a page that names the target and links to it.
 */
export async function canRedirectError(ctx: KoaContextWithOIDC, systemSql: SystemSql): Promise<boolean> {
  const { client, session, params } = ctx.oidc
  if (!client || client['is_trusted'] === true || ctx.path !== routes.authorization) return true
  const isSilent = typeof params?.['prompt'] === 'string' && params['prompt'].split(' ').includes('none')
  if (isSilent && ctx.get('sec-fetch-dest') === 'iframe') return true
  if (!session?.accountId) return false
  const known = await systemSql('client.find-authorization', isKnown, { account_id: session.accountId, client_id: client.clientId })
  return known.length > 0
}

/**
 * Returns whether a sign-out may redirect to the client (RP-Initiated Logout 1.0 §2). Anyone can register a client, so the address of a
 * client that is not the operator's requires an ID token. A user who is signed in must be its subject: everyone can obtain an ID token about
 * themselves and send others here with it.
 */
export function isSignOutTargetConfirmed({ oidc: { client, session, entities } }: KoaContextWithOIDC): boolean {
  if (client?.['is_trusted'] === true) return true
  const hint = entities['IdTokenHint'] as { payload: { sub?: string } } | undefined
  return hint !== undefined && (!session?.accountId || session.accountId === hint.payload.sub)
}
