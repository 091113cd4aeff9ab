import type { Rows } from '@quittance/runtime/handler'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'

const find = `
  select c.scopes from consents c
  where c.account_id = :account_id and c.client_id = :client_id and c.organization_id is not distinct from :organization_id::uuid
    and (c.organization_id is null
      or exists (select from members m where m.organization_id = c.organization_id and m.account_id = c.account_id))`

const remember = `
  insert into consents (account_id, client_id, organization_id, scopes)
  values (:account_id, :client_id, :organization_id, :scopes)
  on conflict (account_id, client_id, organization_id) do update
    set scopes = array(select distinct unnest(consents.scopes || excluded.scopes)), modified_at = now()`

/** For whom consent was given: a person's own data, or one organization. */
export interface Consent {
  accountId: string
  clientId: string
  organizationId: string | null
  scopes: readonly string[]
}

/** Adds to what the person allowed this client before. */
export async function rememberConsent(rows: Rows, { accountId, clientId, organizationId, scopes }: Consent): Promise<void> {
  await rows('consent.remember', remember, {
    account_id: accountId,
    client_id: clientId,
    organization_id: organizationId,
    scopes: [...scopes],
  })
}

/**
 * The grant of this authorization: the one the consent page just made, or a fresh one when everything asked for was allowed
 * before. Never one of an earlier authorization: revoking one family of tokens must leave the others alone.
 */
export function loadGrantFrom(rows: Rows): (ctx: KoaContextWithOIDC) => Promise<Grant | undefined> {
  return async ({ oidc }) => {
    const given = oidc.result?.consent?.grantId
    if (given) return oidc.provider.Grant.find(given)
    const accountId = oidc.account?.accountId
    const clientId = oidc.client?.clientId
    const subject = requestedSubject(oidc.params ?? {})
    if (!accountId || !clientId || !subject || oidc.prompts.has('consent')) return undefined
    const values = { account_id: accountId, client_id: clientId, organization_id: subject.organizationId }
    const [known] = await rows<{ scopes: string[] }>('consent.find', find, values)
    const wanted = [...oidc.requestParamScopes]
    if (!known || !wanted.every((scope) => known.scopes.includes(scope))) return undefined
    const grant = new oidc.provider.Grant({ accountId, clientId })
    Object.assign(grant, subject)
    grant.addOIDCScope(wanted.join(' '))
    for (const [resource, server] of Object.entries(oidc.resourceServers ?? {})) {
      grant.addResourceScope(resource, wanted.filter((scope) => server.scopes.has(scope)).join(' '))
    }
    await grant.save()
    return grant
  }
}

interface Subject {
  subType: 'user' | 'organization'
  organizationId: string | null
}

/** Null when the request leaves the organization to the person: then the page is always shown. */
export function requestedSubject(params: Record<string, unknown>): Subject | null {
  if (params['sub_type'] === 'user') return { subType: 'user', organizationId: null }
  const organizationId = params['organization_id'] ?? params['sub']
  return typeof organizationId === 'string' ? { subType: 'organization', organizationId } : null
}
