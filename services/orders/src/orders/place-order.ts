import type { Address } from '@quittance/contracts/address'
import type { Metadata } from '@quittance/contracts/metadata'
import { orderCreated, orderPaid, orderUpdated, type BillingReason } from '@quittance/contracts/orders'
import type { TaxBehavior } from '@quittance/contracts/taxes'
import type { Transaction } from '@quittance/runtime/handler'
import { grantBenefits } from '../benefits/entitlement.ts'
import { tellCustomerState } from '../customers/tell-customer-state.ts'
import { Order } from './order.ts'
import type { LineAmounts, OrderAmounts } from './order-amounts.ts'
import { OrderItem } from './order-item.ts'
import { orderView } from './order-view.ts'
import { appliedTaxes } from '../taxes/applied-taxes.ts'

/** What was bought: one line per price of the product, and those of a change of product. */
export interface Line {
  label: string
  productPriceId: string | null
  proration?: boolean
}

/** What becomes an order: of a checkout, or of a period of a subscription. */
export interface Sale {
  organizationId: string
  billingReason: BillingReason
  currency: string
  taxBehavior: TaxBehavior
  /** With one line for each of `lines`. */
  amounts: OrderAmounts
  lines: readonly Line[]
  billingName: string | null
  billingAddress: Address | null
  taxId: string | null
  customerId: string
  productId: string
  discountId: string | null
  subscriptionId: string | null
  periodStart: Date | null
  periodEnd: Date | null
  checkoutId: string | null
  metadata: Metadata
}

/**
 * A sale becomes an order, `pending` until its payment completes. Billing details are copied, and stay. A checkout that is tried again
 * after a declined payment keeps its order, which is then of what is bought now.
 */
export async function placeOrder({ em, read, publish }: Transaction, { lines, ...sale }: Sale): Promise<Order> {
  const { organizationId, amounts } = sale
  const known = sale.checkoutId ? await em.findOne(Order, { checkoutId: sale.checkoutId }) : null
  const order = known ?? em.create(Order, { ...termsOf(sale), ...unpaid })
  if (known) {
    em.assign(known, termsOf(sale))
    await em.nativeDelete(OrderItem, { orderId: known.id })
  }
  await em.flush()
  for (const [position, line] of lines.entries()) {
    const { amount, discount: discountAmount, tax: taxAmount } = amounts.lines[position] as LineAmounts
    em.create(OrderItem, { proration: false, ...line, amount, discountAmount, taxAmount, organizationId, orderId: order.id, position })
  }
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } })
  publish({ event: known ? orderUpdated : orderCreated, aggregateId: order.id, organizationId, payload: view })
  return order
}

const unpaid = {
  status: 'pending',
  refundedAmount: 0n,
  refundedTaxAmount: 0n,
  paidAt: null,
  invoiceRequestedAt: null,
  invoiceGeneratedAt: null,
} as const

function termsOf({ amounts, ...sale }: Omit<Sale, 'lines'>) {
  return {
    ...sale,
    subtotalAmount: amounts.subtotal,
    discountAmount: amounts.discount,
    netAmount: amounts.net,
    taxAmount: amounts.tax,
    taxes: appliedTaxes(amounts),
    totalAmount: amounts.total,
  }
}

/** The payment of an order is complete. Said once, however often it is reported. What was bought for good is granted by it. */
export async function payOrder(context: Transaction, order: Order): Promise<boolean> {
  const { now, read, publish } = context
  if (!order.pay(now)) return false
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } })
  const fact = { aggregateId: order.id, organizationId: order.organizationId, payload: view }
  publish({ event: orderUpdated, ...fact })
  publish({ event: orderPaid, ...fact })
  if (order.subscriptionId) return true
  const { organizationId, productId, customerId } = order
  const granted = await grantBenefits(context, { organizationId, productId, customerId, orderId: order.id, subscriptionId: null })
  if (granted) await tellCustomerState(context, customerId)
  return true
}
