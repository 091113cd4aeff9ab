import { LockMode } from '@mikro-orm/core'
import {
  updateCheckout as updateCheckoutContract,
  updateCheckoutByClient as updateCheckoutByClientContract,
  checkoutUpdated,
} from '@quittance/contracts/checkouts'
import { type Checkout as CheckoutReply } from '@quittance/contracts/checkout'
import { command, type Transaction, type CommandContext } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { requireRedeemable } from '../catalog/discounts/redeem-discount.ts'
import {
  changeCheckoutProduct,
  createUnusableDiscountError,
  dropUnusableDiscount,
  priceCheckout,
  findDiscountByCode,
} from './checkout-pricing.ts'
import { Checkout } from './checkout.ts'
import { checkoutPublicView, checkoutView } from './checkout-view.ts'
import type { JsonText } from '@quittance/sql/view'
import { checkoutEvent } from './checkout-event.ts'

export const updateCheckout = command(updateCheckoutContract, async ({ id, ...change }, context) => {
  const { em, now } = context
  const checkout = await em.findOneOrFail(Checkout, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  checkout.assertOpen(now)
  await changeCheckoutProduct(context, checkout, change)
  if (change.discount_id === null) checkout.applyDiscount(null)
  if (change.discount_id) {
    const { organizationId, productId, currency } = checkout
    const discount = await em.findOne(Discount, { id: change.discount_id, organizationId })
    checkout.applyDiscount(requireRedeemable(discount, { productId, currency, now }))
  }
  checkout.applyBuyerDetails(change)
  checkout.applySettings(change)
  await priceCheckout(checkout, context)
  return publishCheckoutUpdated(checkout, context)
})

export const updateCheckoutByClient = command(
  updateCheckoutByClientContract,
  async ({ client_secret: secret, discount_code: code, ...change }, context) => {
    const { now, read } = context
    const checkout = await findOpenCheckout(context, secret)
    await changeCheckoutProduct(context, checkout, change)
    await dropUnusableDiscount(context, checkout)
    if (checkout.allowDiscountCodes && code === null) checkout.applyDiscount(null)
    if (checkout.allowDiscountCodes && code) {
      const discount = await findDiscountByCode(context, { checkout, code })
      const { productId, currency, priceAmount } = checkout
      if (priceAmount === 0n || !discount.isRedeemable({ productId, currency, now })) throw createUnusableDiscountError('discount_code')
      checkout.applyDiscount(discount)
    }
    checkout.applyBuyerDetails(change)
    checkout.applySettings({ allow_trial: change.allow_trial })
    await priceCheckout(checkout, context)
    await publishCheckoutUpdated(checkout, context)
    return read.one(checkoutPublicView, { where: 'ch.client_secret = :secret', values: { secret } })
  },
)

/** Publishes the state of a checkout after a change and returns it. */
export async function publishCheckoutUpdated(checkout: Checkout, { read, publish }: Transaction): Promise<JsonText<CheckoutReply>> {
  const { id, organizationId } = checkout
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id } })
  publish({ event: checkoutUpdated, aggregateId: id, organizationId, payload: checkoutEvent(view, checkout) })
  return view
}

/** Finds and locks the checkout with this client secret and scopes the transaction to its organization. Throws if it is not open. */
export async function findOpenCheckout({ em, now, bindOrganization }: CommandContext, clientSecret: string): Promise<Checkout> {
  const options = { filters: { organization: false }, lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const checkout = await em.findOneOrFail(Checkout, { clientSecret }, options)
  bindOrganization(checkout.organizationId)
  checkout.assertOpen(now)
  return checkout
}
