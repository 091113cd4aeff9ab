import {
  getCheckout as getCheckoutContract,
  ExpiredCheckoutError,
  getCheckoutByClient as getCheckoutByClientContract,
  listCheckouts as listCheckoutsContract,
} from '@quittance/contracts/checkouts'
import { query } from '@quittance/runtime/handler'
import { isExternalCustomer } from '../customers/customer-view.ts'
import { checkoutBySecretView, checkoutView, checkoutPublicView } from './checkout-view.ts'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'

export const getCheckout = query(getCheckoutContract, ({ id }, { read }) =>
  read.one(checkoutView, { where: 'ch.id = :id', values: { id } }),
)

const isExpired = `ch.client_secret = :client_secret and (ch.status = 'expired' or (ch.status = 'open' and ch.expires_at <= now()))`

export const getCheckoutByClient = query(getCheckoutByClientContract, async ({ client_secret }, { read }) => {
  const expired = await read.oneOrNull(checkoutBySecretView, { where: isExpired, values: { client_secret } })
  if (expired !== null) throw new ExpiredCheckoutError('This checkout session has expired.')
  return read.one(checkoutPublicView, { where: 'ch.client_secret = :client_secret', values: { client_secret } })
})

const columns = { created_at: 'ch.created_at', expires_at: 'ch.expires_at', status: 'ch.status' }

export const listCheckouts = query(listCheckoutsContract, (request, { read }) =>
  read.page(checkoutView, {
    ...buildWhere({
      organization_id: { sql: 'ch.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      product_id: { sql: 'ch.product_id = any(:product_id)', value: toArray(request.product_id) },
      customer_id: { sql: 'ch.customer_id = any(:customer_id)', value: toArray(request.customer_id) },
      external_customer_id: {
        sql: `ch.external_customer_id = any (:external_customer_id::text[]) or ${isExternalCustomer('ch.customer_id')}`,
        value: toArray(request.external_customer_id),
      },
      status: { sql: 'ch.status = any(:status)', value: toArray(request.status) },
      query: { sql: 'strpos(lower(ch.customer_email), lower(:query)) > 0', value: request.query },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['ch.created_at', 'ch.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
