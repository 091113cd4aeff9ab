import type { Transaction } from '@quittance/runtime/handler'
import type { Customer } from '../customers/customer.ts'
import type { OrderAmounts } from '../orders/order-amounts.ts'
import type { Sale } from '../orders/place-order.ts'
import type { Product } from '../products/product.ts'
import { ProductPrice } from '../products/product-price.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { Checkout } from './checkout.ts'

interface Purchase {
  amounts: OrderAmounts
  customer: Customer
  product: Product
  /** Null for what is bought once. */
  subscription: Subscription | null
  em: Transaction['em']
}

/** What the order of a confirmed checkout is made of. */
export async function saleOfCheckout(checkout: Checkout, { amounts, customer, product, subscription, em }: Purchase): Promise<Sale> {
  const { taxBehavior } = await em.findOneOrFail(ProductPrice, checkout.productPriceId)
  return {
    organizationId: checkout.organizationId,
    billingReason: checkout.subscriptionId ? 'subscription_update' : subscription ? 'subscription_create' : 'purchase',
    currency: checkout.currency,
    taxBehavior,
    amounts,
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
