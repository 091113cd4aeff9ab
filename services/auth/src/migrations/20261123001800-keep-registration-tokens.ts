import { migration } from '@quittance/runtime/schema'

/**
 * Registration access tokens, sealed: RFC 7592 §3 requires them in every response. Null for clients registered before, until their next
 * change.
 */
export const keepRegistrationTokens = migration('20261123001800-keep-registration-tokens', [
  `alter table clients
    add column registration_token_sealed text,
    add constraint clients_sealed_token_has_hash check (registration_token_sealed is null or registration_token_hash is not null)`,
])
