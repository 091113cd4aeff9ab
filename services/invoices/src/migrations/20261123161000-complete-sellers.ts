import { migration } from '@quittance/runtime/schema'

/** Time zone, contact, exemption and electronic profile of a seller. */
export const completeSellers = migration('20261123161000-complete-sellers', [
  `alter table invoice_settings
    add column time_zone text check (length(time_zone) <= 60),
    add column contact_name text check (length(contact_name) between 1 and 100),
    add column contact_email text check (length(contact_email) between 3 and 254),
    add column contact_phone text check (length(contact_phone) between 1 and 40),
    add column tax_exemption text check (length(tax_exemption) between 1 and 200),
    add column electronic_profile text not null default 'en16931' check (electronic_profile in ('en16931', 'xrechnung', 'peppol')),
    add column electronic_address text check (length(electronic_address) <= 60)`,
])
