import { orderCreated, orderPaid, orderUpdated } from '@quittance/contracts/orders'
import type { Transaction } from '@quittance/runtime/handler'
import type { Checkout } from '../checkouts/checkout.ts'
import type { Customer } from '../customers/customer.ts'
import { Order } from './order.ts'
import { OrderItem } from './order-item.ts'
import { orderView } from './order-view.ts'

/** What was bought: one line per price of the product. */
export interface Line {
  label: string
  amount: bigint
  productPriceId: string
}

interface Placement {
  checkout: Checkout
  customer: Customer
  lines: readonly Line[]
}

/** A confirmed checkout becomes an order, `pending` until its payment completes. Billing details are copied, and stay. */
export async function placeOrder({ em, read, publish }: Transaction, { checkout, customer, lines }: Placement): Promise<Order> {
  const { organizationId } = checkout
  const order = em.create(Order, {
    organizationId,
    status: 'pending',
    billingReason: 'purchase',
    currency: checkout.currency,
    subtotalAmount: checkout.amount,
    discountAmount: checkout.discountAmount,
    netAmount: checkout.amount - checkout.discountAmount,
    taxAmount: checkout.taxAmount,
    totalAmount: checkout.amount - checkout.discountAmount + checkout.taxAmount,
    refundedAmount: 0n,
    refundedTaxAmount: 0n,
    billingName: checkout.customerBillingName ?? customer.name,
    billingAddress: customer.billingAddress,
    taxId: checkout.customerTaxId ?? customer.taxId?.[0] ?? null,
    customerId: customer.id,
    productId: checkout.productId,
    discountId: checkout.discountId,
    subscriptionId: null,
    checkoutId: checkout.id,
    metadata: checkout.metadata,
    paidAt: null,
    invoiceRequestedAt: null,
    invoiceGeneratedAt: null,
  })
  await em.flush()
  for (const [position, line] of lines.entries()) {
    em.create(OrderItem, { ...line, organizationId, orderId: order.id, position, taxAmount: 0n, proration: false })
  }
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } })
  publish({ event: orderCreated, aggregateId: order.id, organizationId, payload: view })
  return order
}

/** The payment of an order is complete. Said once, however often it is reported. */
export async function payOrder({ now, read, publish }: Transaction, order: Order): Promise<boolean> {
  if (!order.pay(now)) return false
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } })
  const fact = { aggregateId: order.id, organizationId: order.organizationId, payload: view }
  publish({ event: orderUpdated, ...fact })
  publish({ event: orderPaid, ...fact })
  return true
}
