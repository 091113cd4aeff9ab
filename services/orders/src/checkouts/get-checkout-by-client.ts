import { ExpiredCheckoutError, getCheckoutByClient as contract } from '@quittance/contracts/checkouts'
import { query } from '@quittance/runtime/handler'
import { checkoutPublicView } from './checkout-view.ts'

const isExpired = `select 1 from checkouts where client_secret = :client_secret and (status = 'expired' or (status = 'open' and expires_at <= now()))`

export const getCheckoutByClient = query(contract, async ({ client_secret }, { read, rows }) => {
  const expired = await rows('checkout.is-expired', isExpired, { client_secret })
  if (expired.length > 0) throw new ExpiredCheckoutError('This checkout session has expired.')
  return read.one(checkoutPublicView, { where: 'ch.client_secret = :client_secret', values: { client_secret } })
})
