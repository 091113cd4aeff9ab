import { config } from '../config.ts'

/** Returns the SQL of an account `a` that takes new payments of an organization, for a left join: some have none. */
export const accountForPayments = (organizationId: string): string =>
  `payment_accounts a on a.organization_id = ${organizationId} and a.is_default and a.status = 'active'`

/**
 * Returns the SQL of whether an organization has a live account, in whatever status: it has no sandbox then. Anyone could pay with the tokens
 * of the sandbox while a seller takes no payments.
 */
export const hasLiveAccount = (organizationId: string): string =>
  `exists (select from payment_accounts l where l.organization_id = ${organizationId} and l.mode = 'live')`

/** Returns the SQL of how a page can take payments of an organization without an account: by the sandbox, or not at all. */
export function sandboxMetadata(organizationId: string): string {
  if (config().SANDBOX_PAYMENTS !== 'on') return `'{}'::json`
  return `(case when ${hasLiveAccount(organizationId)} then '{}' else '{"provider": "sandbox"}' end)::json`
}

/** Returns the SQL of what a page needs to charge a new payment method; empty if the buyer sends the money, or nothing takes payments. */
export const chargeMetadata = (organizationId: string): string => `coalesce((
    select json_strip_nulls(json_build_object('provider', coalesce(a.provider, ${sandboxMetadata(organizationId)}->>'provider'), 'publishable_key', a.publishable_key))
    from (select) one left join ${accountForPayments(organizationId)}
    where a.provider is distinct from 'bank_transfer'), '{}'::json)`
