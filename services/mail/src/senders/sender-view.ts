import type { MailSender } from '@quittance/contracts/mail-senders'
import type { View } from '@quittance/sql/view'
import { config } from '../config.ts'
import { findDomain } from './sender-domain.ts'

/** SQL: whether mails may come from the sender `s`: its last check found both records, and was not long ago. */
export const isVerified = `(s.has_dkim and s.has_spf and s.checked_at > now() - interval '3 days')`

const found = (column: string) => `case when s.checked_at is not null then s.${column} end`

/** Of configuration, the same on every replica. */
const operatorDomain = () => findDomain(config().transport.from).replaceAll("'", "''")

/** Never the private key. A colon before a word would be a parameter. */
export const senderView: View<MailSender> = {
  name: 'mail-sender',
  organization: 's.organization_id',
  from: 'senders s',
  key: 's.id',
  get columns() {
    return `s.id, s.created_at, s.modified_at, s.organization_id, s.address, case when ${isVerified} then 'verified' else 'pending' end as status,
      s.checked_at, json_build_array(
        json_build_object('purpose', 'dkim', 'type', 'TXT', 'name', s.selector || '._domainkey.' || s.domain,
          'value', 'v=DKIM1; k=rsa; p=' || s.public_key, 'is_found', ${found('has_dkim')}),
        json_build_object('purpose', 'spf', 'type', 'TXT', 'name', s.domain, 'value', 'v=spf1 include' || ':' || '${operatorDomain()}' || ' ~all',
          'is_found', ${found('has_spf')})) as records`
  },
}
