import { listPersonalAccessTokens as contract } from '@quittance/contracts/access-tokens'
import { NotPermitted } from '@quittance/contracts/errors'
import { query } from '@quittance/runtime/handler'
import { nullable, orderBy } from '@quittance/runtime/list'
import { personalAccessTokenView } from './access-token-view.ts'

const columns = { created_at: 't.created_at', comment: 't.comment', last_used_at: nullable('t.last_used_at') }

export const listPersonalAccessTokens = query(contract, ({ sorting, page, limit }, { caller, read }) => {
  if (caller.kind !== 'user') throw new NotPermitted('There is no person behind this credential.')
  return read.page(personalAccessTokenView, {
    where: `t.kind = 'personal' and t.account_id = :account_id and t.revoked_at is null`,
    values: { account_id: caller.user_id },
    orderBy: orderBy(columns, { sorting, ties: ['t.created_at', 't.id'] }),
    page,
    limit,
  })
})
