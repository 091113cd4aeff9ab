import { getCheckoutLink as getContract, listCheckoutLinks as listContract } from '@quittance/contracts/checkout-links'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, nullable, toArray } from '@quittance/sql/list-query'
import { checkoutLinkView } from './checkout-link-view.ts'

export const getCheckoutLink = query(getContract, ({ id }, { read }) =>
  read.one(checkoutLinkView, { where: 'cl.id = :id', values: { id } }),
)

const columns = {
  created_at: 'cl.created_at',
  label: nullable('cl.label'),
  success_url: nullable('cl.success_url'),
  allow_discount_codes: 'cl.allow_discount_codes',
}

export const listCheckoutLinks = query(listContract, (request, { read }) =>
  read.page(checkoutLinkView, {
    ...buildWhere({
      organization_id: { sql: 'cl.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      product_id: { sql: 'cl.product_ids && :product_id::uuid[]', value: toArray(request.product_id) },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['cl.created_at', 'cl.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
