import { migration } from '@quittance/runtime/schema'

/**
 * Codes that prove the new address of a customer. `customer_id` is then who changes the address, and has one open code. The release before
 * creates codes for signing in, which is the default, and finds no others: their addresses have another hash. `network` is what requests are
 * counted under. Rows live for an hour.
 */
export const proveNewAddresses = migration('20261130030000-prove-new-addresses', [
  `alter table customer_codes
    add column purpose text not null default 'sign_in' check (purpose in ('sign_in', 'email_update')),
    add column new_email text,
    add column network text,
    add constraint customer_codes_update_names_address check ((purpose = 'email_update') = (new_email is not null)),
    add constraint customer_codes_update_names_customer check (purpose = 'sign_in' or customer_id is not null)`,
  `create unique index customer_codes_one_open_update on customer_codes (customer_id) where purpose = 'email_update' and ended_at is null`,
  `create index customer_codes_by_customer on customer_codes (customer_id, created_at) where purpose = 'email_update'`,
  `create index customer_codes_by_network on customer_codes (network, created_at) where network is not null`,
])
