import type { Customer } from '../customers/customer.ts'
import type { Sale } from '../orders/place-order.ts'
import type { Product } from '../products/product.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { Checkout } from './checkout.ts'

interface Purchase {
  customer: Customer
  product: Product
  /** Null for what is bought once. */
  subscription: Subscription | null
}

/** What the order of a confirmed checkout is made of. */
export function saleOfCheckout(checkout: Checkout, { customer, product, subscription }: Purchase): Sale {
  const { amount: subtotal, discountAmount: discount, taxAmount: tax } = checkout
  return {
    organizationId: checkout.organizationId,
    billingReason: subscription ? 'subscription_create' : 'purchase',
    currency: checkout.currency,
    amounts: { subtotal, discount, net: subtotal - discount, tax, total: checkout.totalAmount() },
    lines: [{ label: product.name, amount: subtotal, productPriceId: checkout.productPriceId }],
    billingName: checkout.customerBillingName ?? customer.name ?? null,
    billingAddress: customer.billingAddress ?? null,
    taxId: checkout.customerTaxId ?? customer.taxId?.[0] ?? null,
    customerId: customer.id,
    productId: checkout.productId,
    discountId: checkout.discountId ?? null,
    subscriptionId: subscription?.id ?? null,
    periodStart: subscription?.currentPeriodStart ?? null,
    checkoutId: checkout.id,
    metadata: checkout.metadata,
  }
}
