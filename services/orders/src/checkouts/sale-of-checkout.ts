import type { Customer } from '../customers/customer.ts'
import type { Sale } from '../orders/place-order.ts'
import type { Product } from '../products/product.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { Checkout } from './checkout.ts'

interface Purchase {
  priced: Pick<Sale, 'amounts' | 'taxBehavior'>
  customer: Customer
  product: Product
  /** Null for what is bought once. */
  subscription: Subscription | null
}

/** What the order of a confirmed checkout is made of. */
export function saleOfCheckout(checkout: Checkout, { priced, customer, product, subscription }: Purchase): Sale {
  return {
    organizationId: checkout.organizationId,
    billingReason: checkout.subscriptionId ? 'subscription_update' : subscription ? 'subscription_create' : 'purchase',
    currency: checkout.currency,
    ...priced,
    lines: [{ label: product.name, productPriceId: checkout.productPriceId }],
    billingName: checkout.customerBillingName ?? customer.name ?? null,
    billingAddress: customer.billingAddress ?? null,
    taxId: checkout.customerTaxId ?? customer.taxId?.[0] ?? null,
    customerId: customer.id,
    productId: checkout.productId,
    discountId: checkout.discountId ?? null,
    subscriptionId: subscription?.id ?? null,
    periodStart: checkout.subscriptionId ? null : (subscription?.currentPeriodStart ?? null),
    periodEnd: checkout.subscriptionId ? null : (subscription?.currentPeriodEnd ?? null),
    checkoutId: checkout.id,
    metadata: checkout.metadata,
  }
}
