import type { RequiredEntityData } from '@mikro-orm/core'
import { checkoutCreated } from '@quittance/contracts/checkouts'
import type { Checkout as CheckoutReply } from '@quittance/contracts/checkout'
import { mintToken } from '@quittance/runtime/credential'
import type { Transaction } from '@quittance/runtime/handler'
import type { JsonText } from '@quittance/sql/view'
import type { Discount } from '../catalog/discounts/discount.ts'
import type { Product } from '../catalog/products/product.ts'
import { Checkout, checkoutLifetimeMs } from './checkout.ts'
import { checkoutEvent } from './checkout-event.ts'
import { priceCheckout } from './checkout-pricing.ts'
import { checkoutView } from './checkout-view.ts'

type Terms = 'productIds' | 'successUrl' | 'embedOrigin' | 'allowTrial' | 'allowDiscountCodes' | 'requireBillingAddress' | 'metadata'
type BuyerFields =
  | ('customerId' | 'linkedCustomerId' | 'subscriptionId' | 'isBusinessCustomer' | 'externalCustomerId' | 'customerName')
  | ('customerEmail' | 'customerIpAddress' | 'customerBillingName' | 'customerBillingAddress' | 'customerTaxId' | 'customerMetadata')

/** What a seller decides about a new checkout, and what is known of the buyer. */
export interface NewCheckout extends Pick<Checkout, Terms | BuyerFields> {
  /** The preselected product, with its prices. */
  product: Product
  /** Amount for a custom price, in minor units; null for the suggested one. */
  chosenAmount: bigint | null
  /** A discount that is redeemable for the product. */
  discount: Discount | null
}

export interface StartedCheckout {
  id: string
  /** The checkout as its seller reads it. */
  view: JsonText<CheckoutReply>
}

/** Creates an open checkout, computes its amounts and publishes it. Throws `RequestValidationError` for an amount outside of the limits. */
export async function startCheckout(
  context: Transaction,
  { product, chosenAmount, discount, ...given }: NewCheckout,
): Promise<StartedCheckout> {
  const { em, now, read, publish } = context
  const { organizationId } = product
  const price = product.currentPrice()
  // Persisted with its amounts: the reads in between would store it without them, and change it then.
  const terms: RequiredEntityData<Checkout> = {
    ...given,
    organizationId,
    status: 'open',
    clientSecret: mintToken('qt_co_'),
    expiresAt: new Date(now.getTime() + checkoutLifetimeMs),
    productId: product.id,
    productPriceId: price.id,
    discountId: discount?.id ?? null,
    isCustomerProven: true,
    trialEnd: null,
    currency: price.priceCurrency ?? 'usd',
    priceAmount: price.amountFor(chosenAmount),
    amount: 0n,
    discountAmount: 0n,
    taxAmount: null,
    taxes: [],
  }
  const checkout = em.create(Checkout, terms, { persist: false })
  await priceCheckout(checkout, context)
  await em.persist(checkout).flush()
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id: checkout.id } })
  publish({ event: checkoutCreated, aggregateId: checkout.id, organizationId, payload: checkoutEvent(view, checkout) })
  return { id: checkout.id, view }
}
