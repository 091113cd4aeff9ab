import { getPaymentAccount as getContract, listPaymentAccounts as listContract } from '@quittance/contracts/payment-accounts'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, toArray } from '@quittance/sql/list-query'
import { paymentAccountView } from './payment-account.ts'

export const getPaymentAccount = query(getContract, ({ id }, { read }) =>
  read.one(paymentAccountView, { where: 'a.id = :id', values: { id } }),
)

export const listPaymentAccounts = query(listContract, (request, { read }) =>
  read.page(paymentAccountView, {
    ...buildWhere({
      organization_id: { sql: 'a.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
    }),
    orderBy: buildSortOrder({ created_at: 'a.created_at' }, { sorting: request.sorting, tieBreakers: ['a.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
