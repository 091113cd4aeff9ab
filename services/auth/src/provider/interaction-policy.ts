import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check, base } = interactionPolicy

/**
 * The library's own prompts, and one more reason for the consent page: no organization was chosen yet. Both are asked on one
 * page. With `prompt=none` the answer is `account_selection_required` (OpenID Connect Core §3.1.2.6).
 */
export function createInteractionPolicy() {
  const policy = base()
  policy
    .get('consent')
    ?.checks.add(
      new Check('organization_missing', 'the organization to act for was not selected', 'account_selection_required', lacksOrganization),
    )
  return policy
}

function lacksOrganization({ oidc }: KoaContextWithOIDC): boolean {
  if (oidc.params?.['sub_type'] === 'user') return Check.NO_NEED_TO_PROMPT
  const { organizationId } = (oidc.entities.Grant ?? {}) as { organizationId?: string }
  return organizationId ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
}
