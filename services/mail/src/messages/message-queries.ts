import { listMailMessages as contract, type MailMessage } from '@quittance/contracts/mails'
import { query } from '@quittance/runtime/handler'
import { buildWhere, newestFirst, toArray } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'

/** Never the content: it may be a code. */
const messageView: View<MailMessage> = {
  name: 'mail-message',
  organization: 'm.organization_id',
  from: 'messages m',
  key: 'm.id',
  columns: `m.id, m.created_at, m.organization_id, m.kind, m.status, m.customer_id, m.recipient, m.attempts, m.next_attempt_at, m.ended_at,
    m.last_error as failure_reason`,
}

export const listMailMessages = query(contract, ({ page, limit, ...request }, { read }) =>
  read.page(messageView, {
    ...buildWhere({
      organization_id: { sql: 'm.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      customer_id: { sql: 'm.customer_id = any(:customer_id)', value: toArray(request.customer_id) },
      status: { sql: 'm.status = any(:status)', value: toArray(request.status) },
      kind: { sql: 'm.kind = any(:kind)', value: toArray(request.kind) },
    }),
    orderBy: newestFirst('m'),
    page,
    limit,
  }),
)
