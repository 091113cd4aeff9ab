import { ResourceNotFound } from '@quittance/contracts/errors'
import { createMailOptOut as contract } from '@quittance/contracts/mails'
import { systemCommand } from '@quittance/runtime/system-handler'
import { config } from '../config.ts'
import { openOptOutToken } from './opt-out-token.ts'

// The kind is that of the mail, so a token stops nothing else.
const insert = `
  insert into opt_outs (customer_id, kind, organization_id)
  select customer_id, kind, organization_id from messages where id = :id and customer_id is not null and organization_id is not null
  on conflict (customer_id, kind) do update set kind = excluded.kind
  returning kind`

/** Stops mails of one kind to one customer. Repeating it changes nothing. */
export const createMailOptOut = systemCommand(
  contract,
  { reason: 'the token of a mail names its recipient; there is no caller' },
  async ({ token }, { systemSql }) => {
    const id = openOptOutToken(token, config().MAIL_KEY)
    const stopped = id === null ? [] : await systemSql('opt-out.insert', insert, { id })
    if (stopped.length === 0) throw new ResourceNotFound()
    return null
  },
)
