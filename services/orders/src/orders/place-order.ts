import type { Address } from '@quittance/contracts/address'
import type { Metadata } from '@quittance/contracts/metadata'
import { orderCreated, orderPaid, orderUpdated, type BillingReason } from '@quittance/contracts/orders'
import type { TaxBehavior } from '@quittance/contracts/taxes'
import type { Transaction } from '@quittance/runtime/handler'
import { grantBenefits } from '../entitlements/entitlement.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { Order } from './order.ts'
import { appliedTaxes, type LineAmounts, type OrderAmounts } from '../pricing/order-amounts.ts'
import { OrderItem } from './order-item.ts'
import { orderView } from './order-view.ts'
import { publishInvoiceRequested } from './request-invoice.ts'

/** Purchased lines: one per price of the product, and prorations of product changes. */
export interface OrderDraftLine {
  label: string
  productPriceId: string | null
  proration?: boolean
}

/** Input of `placeOrder`, built from a checkout or from a period of a subscription. */
export interface OrderDraft {
  organizationId: string
  billingReason: BillingReason
  currency: string
  taxBehavior: TaxBehavior
  /** Has one line for each of `lines`. */
  amounts: OrderAmounts
  lines: readonly OrderDraftLine[]
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
  /** Value of the billed time of a subscription that can be credited, at advertised prices; default zero: the amount of the order. */
  creditableAmount?: bigint
  /** Credits of earlier orders that it uses up; default zero. */
  creditUsedAmount?: bigint
  metadata: Metadata
}

/**
 * Creates an order, which is `pending` until its payment completes. Billing details are copied and then stay. A checkout that is retried
 * after a declined payment keeps its order, which is updated to the current purchase.
 */
export async function placeOrder({ em, read, publish }: Transaction, { lines, ...draft }: OrderDraft): Promise<Order> {
  const { organizationId, amounts } = draft
  const known = draft.checkoutId ? await em.findOne(Order, { checkoutId: draft.checkoutId }) : null
  const order = known ?? em.create(Order, { ...toOrderFields(draft), ...unpaid })
  if (known) {
    em.assign(known, toOrderFields(draft))
    await em.nativeDelete(OrderItem, { orderId: known.id })
  }
  await em.flush()
  for (const [position, line] of lines.entries()) {
    const { amount, discount: discountAmount, tax: taxAmount, taxPosition } = amounts.lines[position] as LineAmounts
    const shares = { amount, discountAmount, taxAmount, taxPosition, quantity: 1 }
    em.create(OrderItem, { proration: false, ...line, ...shares, organizationId, orderId: order.id, position })
  }
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } })
  publish({ event: known ? orderUpdated : orderCreated, aggregateId: order.id, organizationId, payload: view })
  return order
}

const unpaid = {
  status: 'pending',
  refundedAmount: 0n,
  refundedTaxAmount: 0n,
  refundingAmount: 0n,
  refundingTaxAmount: 0n,
  creditedAmount: 0n,
  nextPaymentAttemptAt: null,
  paidAt: null,
  invoiceRequestedAt: null,
  invoiceGeneratedAt: null,
} as const

function toOrderFields({ amounts, ...draft }: Omit<OrderDraft, 'lines'>) {
  return {
    creditableAmount: 0n,
    creditUsedAmount: 0n,
    ...draft,
    subtotalAmount: amounts.subtotal,
    discountAmount: amounts.discount,
    netAmount: amounts.net,
    taxAmount: amounts.tax,
    taxes: appliedTaxes(amounts),
    totalAmount: amounts.total,
  }
}

/**
 * Marks the payment of an order as complete. Publishes it once, however often it is reported, and grants the benefits of a one-time
 * purchase.
 */
export async function payOrder(context: Transaction, order: Order): Promise<boolean> {
  const { now, read, publish } = context
  if (!order.pay(now)) return false
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } })
  const message = { aggregateId: order.id, organizationId: order.organizationId, payload: view }
  publish({ event: orderUpdated, ...message })
  publish({ event: orderPaid, ...message })
  // An order that waited for a bank transfer was invoiced before: no later document asks for the money again.
  if (order.invoiceRequestedAt) await publishInvoiceRequested(order, context)
  if (order.subscriptionId) return true
  const { organizationId, productId, customerId } = order
  const granted = await grantBenefits(context, { organizationId, productId, customerId, orderId: order.id, subscriptionId: null })
  if (granted) await publishCustomerState(context, customerId)
  return true
}
