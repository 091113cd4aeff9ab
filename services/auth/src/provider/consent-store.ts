import type { SystemSql } from '@quittance/sql/sql-runner'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { isLoopbackUri, isPrivateUseUri } from '../clients/client-metadata.ts'

const find = `
  select c.scopes from consents c
  where c.account_id = :account_id and c.client_id = :client_id and c.organization_id is not distinct from :organization_id::uuid
    and (c.organization_id is null
      or exists (select from members m where m.organization_id = c.organization_id and m.account_id = c.account_id))`

/**
 * Stores no consent for a redirect URI or a scope that the client no longer has, because the page was older than a change of the client.
 * The lock waits for a concurrent change.
 */
const remember = `
  with recipient as (
    select client_id from clients
    where client_id = :client_id and :redirect_uri = any(redirect_uris) and :scopes::text[] <@ scopes and deleted_at is null for share)
  insert into consents (account_id, client_id, organization_id, scopes)
  select :account_id, client_id, :organization_id, :scopes from recipient
  on conflict (account_id, client_id, organization_id) do update
    set scopes = array(select distinct unnest(consents.scopes || excluded.scopes)), modified_at = now()`

/** The subject of a consent: the user's own data, or one organization. */
export interface ConsentRecord {
  accountId: string
  clientId: string
  organizationId: string | null
  scopes: readonly string[]
}

/** Adds to the scopes the user has allowed this client, on a page that showed `redirectUri`. */
export async function saveConsent(
  systemSql: SystemSql,
  { accountId, clientId, organizationId, scopes, redirectUri }: ConsentRecord & { redirectUri: string },
): Promise<void> {
  await systemSql('consent.upsert', remember, {
    account_id: accountId,
    client_id: clientId,
    organization_id: organizationId,
    scopes: [...scopes],
    redirect_uri: redirectUri,
  })
}

/**
 * Returns the grant of this authorization: the one from the consent page, or a new one if all requested scopes were allowed before. Never
 * reuses the grant of an earlier authorization: revoking one token family must not affect the others.
 */
export function createLoadGrant(systemSql: SystemSql): (ctx: KoaContextWithOIDC) => Promise<Grant | undefined> {
  return async ({ oidc }) => {
    const grantId = oidc.result?.consent?.grantId
    if (grantId) return oidc.provider.Grant.find(grantId)
    const accountId = oidc.account?.accountId
    const clientId = oidc.client?.clientId
    const subject = requestedSubject(oidc.params ?? {})
    if (!accountId || !clientId || !subject || oidc.prompts.has('consent') || isUnproven(oidc)) return undefined
    const values = { account_id: accountId, client_id: clientId, organization_id: subject.organizationId }
    const [known] = await systemSql<{ scopes: string[] }>('consent.find', find, values)
    const requested = [...oidc.requestParamScopes]
    if (!known || !requested.every((scope) => known.scopes.includes(scope))) return undefined
    const grant = new oidc.provider.Grant({ accountId, clientId })
    Object.assign(grant, subject)
    grant.addOIDCScope(requested.join(' '))
    for (const [resource, server] of Object.entries(oidc.resourceServers ?? {})) {
      grant.addResourceScope(resource, requested.filter((scope) => server.scopes.has(scope)).join(' '))
    }
    await grant.save()
    return grant
  }
}

/**
 * Returns whether nothing proves that the code reaches the intended application: any program on the device can listen on the port or claim
 * the scheme, and a public client has no secret. Then consent is always required (RFC 8252 §8.6).
 */
function isUnproven({ client, params }: KoaContextWithOIDC['oidc']): boolean {
  const redirectUri = String(params?.['redirect_uri'])
  return client?.clientAuthMethod === 'none' && (isLoopbackUri(redirectUri) || isPrivateUseUri(redirectUri))
}

interface Subject {
  subType: 'user' | 'organization'
  organizationId: string | null
}

/** Returns null if the request leaves the choice of organization to the user: then the page is always shown. */
export function requestedSubject(params: Record<string, unknown>): Subject | null {
  if (params['sub_type'] === 'user') return { subType: 'user', organizationId: null }
  const organizationId = params['organization_id'] ?? params['sub']
  // A UUID may be sent in upper case (RFC 9562 §4).
  return typeof organizationId === 'string' ? { subType: 'organization', organizationId: organizationId.toLowerCase() } : null
}
