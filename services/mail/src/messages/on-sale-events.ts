import { orderPaid, type Order } from '@quittance/contracts/orders'
import { orderRefunded, refundCreated, refundUpdated } from '@quittance/contracts/refunds'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import type { MailData } from '../content/mail-data.ts'
import { storeBuyer } from './customer-copy.ts'
import { storeBuyerMessage, storeMessage } from './store-message.ts'

/** Lines stored with a receipt; it shows fewer. */
const maxStoredLines = 60

/** Sends the receipt of a paid order. */
export const onOrderPaid = consumer(durableConsumers.mailOrders, [orderPaid], async (message, transaction) => {
  const { payload: order, organizationId } = message
  await storeBuyer(order, organizationId, transaction)
  await storeBuyerMessage(transaction, message, { data: toReceipt(order), sourceId: order.id, customer: order.customer })
})

/** Stores the address for the mail about the refund: the customer may be from before the installation. */
export const onOrderRefunded = consumer(
  durableConsumers.mailRefundedOrders,
  [orderRefunded],
  ({ payload: order, organizationId }, transaction) => storeBuyer(order, organizationId, transaction),
)

/** Members that orders of release 0.1.0 lack. */
type EarlierOrder = Omit<Order, LaterMember> & Partial<Pick<Order, LaterMember>>
type LaterMember = 'description' | 'taxes' | 'tax_behavior'

function toReceipt(order: EarlierOrder): MailData {
  const { subscription } = order
  return {
    kind: 'receipt',
    reason: order.billing_reason,
    isAfterTrial: subscription?.trial_end != null && subscription.trial_end === subscription.current_period_start,
    product: order.description ?? order.product.name,
    currency: order.currency,
    items: order.items.slice(0, maxStoredLines).map(({ label, amount }) => ({ label, amount })),
    subtotal: order.subtotal_amount,
    discount: order.discount_amount,
    // A tax that the buyer owes has the rate that documents print.
    taxes: (order.taxes ?? []).map(({ name, percentage, reverse_charge, amount }) => ({
      name,
      percentage: reverse_charge ? 0 : percentage,
      amount,
    })),
    isTaxIncluded: order.tax_behavior === 'inclusive',
    total: order.total_amount,
    orderedAt: order.created_at,
    orderId: order.id,
    mayWithdraw: (order.withdrawal_until ?? null) !== null,
  }
}

/** Sends one mail about a refund once it has succeeded, however many events follow. */
export const onRefundEvent = consumer(durableConsumers.mailRefunds, [refundCreated, refundUpdated], async (message, transaction) => {
  const { payload: refund } = message
  if (refund.status !== 'succeeded') return
  await storeMessage(transaction, message, {
    data: { kind: 'refund', currency: refund.currency, amount: refund.amount + refund.tax_amount, refundedAt: refund.created_at },
    sourceId: refund.id,
    recipientId: refund.customer_id,
    customerId: refund.customer_id,
    recipient: null,
    locale: null,
  })
})
