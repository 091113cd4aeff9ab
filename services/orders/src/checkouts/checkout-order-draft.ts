import type { OrderDraft } from '../orders/place-order.ts'
import type { Product } from '../catalog/products/product.ts'
import { orderAmounts } from '../pricing/order-amounts.ts'
import type { SubscriptionStart } from '../subscriptions/start-subscription.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { SubscriptionUpgrade } from '../subscriptions/upgrade-subscription.ts'
import type { Checkout } from './checkout.ts'
import type { Buyer } from './resolve-checkout-customer.ts'

interface Purchase {
  priced: Pick<OrderDraft, 'amounts' | 'taxBehavior'>
  buyer: Buyer
  product: Product
  /** Null for a one-time purchase. */
  subscription: Subscription | null
  /** It begins with a trial: nothing is billed, and the discount is that of the first paid period. */
  isTrial: boolean
}

const noAmounts = orderAmounts({ lines: [{ amount: 0n, rate: null }], discount: null, taxBehavior: 'exclusive' })

/** Builds the order draft of a confirmed checkout. It contains known details of a customer only if the seller named the customer. */
export function buildCheckoutOrderDraft(checkout: Checkout, { priced, buyer, product, subscription, isTrial }: Purchase): OrderDraft {
  const { customer } = buyer
  const known = buyer.isProven ? customer : null
  return {
    organizationId: checkout.organizationId,
    billingReason: checkout.subscriptionId ? 'subscription_update' : subscription ? 'subscription_create' : 'purchase',
    currency: checkout.currency,
    ...(isTrial ? { ...priced, amounts: noAmounts } : priced),
    lines: [{ label: product.name, productPriceId: checkout.productPriceId }],
    billingName: checkout.customerBillingName ?? known?.name ?? checkout.customerName ?? null,
    billingAddress: checkout.customerBillingAddress ?? known?.billingAddress ?? null,
    // The one that determined the tax: the customer's own may have been removed by the buyer, or be of another country.
    taxId: checkout.customerTaxId ?? null,
    customerId: customer.id,
    productId: checkout.productId,
    discountId: isTrial ? null : (checkout.discountId ?? null),
    subscriptionId: subscription?.id ?? null,
    periodStart: checkout.subscriptionId ? null : (subscription?.currentPeriodStart ?? null),
    periodEnd: checkout.subscriptionId ? null : (subscription?.currentPeriodEnd ?? null),
    checkoutId: checkout.id,
    metadata: checkout.metadata,
  }
}

/** Builds the new subscription of a confirmed checkout. */
export function toSubscriptionStart(
  checkout: Checkout,
  { isSetup, ...start }: Pick<SubscriptionStart, 'interval' | 'paymentToken' | 'trial'> & { isSetup: boolean },
): SubscriptionStart {
  const { organizationId, productId, productPriceId, currency, priceAmount, metadata } = checkout
  return {
    organizationId,
    productId,
    productPriceId,
    currency,
    priceAmount,
    metadata,
    ...start,
    customerId: checkout.customerId as string,
    checkoutId: checkout.id,
    discountId: checkout.discountId ?? null,
    isFree: checkout.totalAmount() === 0n && !isSetup,
  }
}

/** Builds the upgrade of the free subscription that the checkout names. */
export function toSubscriptionUpgrade(
  checkout: Checkout,
  { paymentToken, paymentMethodId }: Pick<SubscriptionUpgrade, 'paymentToken' | 'paymentMethodId'>,
): SubscriptionUpgrade {
  const { productId, productPriceId, currency, priceAmount } = checkout
  return {
    productId,
    productPriceId,
    currency,
    priceAmount,
    paymentToken,
    paymentMethodId,
    subscriptionId: checkout.subscriptionId as string,
    discountId: checkout.discountId ?? null,
  }
}
