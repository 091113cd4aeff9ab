import { PaymentInProgress } from '@quittance/contracts/customer-payments'
import { Conflict } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { retryOrderPayment as contract } from '@quittance/contracts/order-payments'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { awaitPayment, type StartedRow } from '../payments/await-payment.ts'
import { callLeaseMs } from '../payments/calls-in-progress.ts'
import { hasPaymentInProgress, Payment } from '../payments/payment.ts'
import { paymentView } from '../payments/payment-queries.ts'
import { chargeOrder } from './charge-order.ts'
import { Subscription } from './subscription.ts'
import { isTerminal } from './subscription-status.ts'

/** Charges an order that the schedule could not charge, on request of the seller. The schedule stays as it is. */
export const retryOrderPayment = staged(contract, {
  commit: start,
  async finish(started: StartedRow, context) {
    await awaitPayment(started, context)
    return context.read.one(paymentView, { where: 'pa.id = :id', values: { id: started.id } })
  },
})

async function start({ id }: RequestOf<typeof contract>, context: CommandContext): Promise<StartedRow> {
  const { em, now } = context
  const found = await em.findOneOrFail(Order, { id }, { disableIdentityMap: true })
  const order = await lockOrder(found, context)
  const { organizationId, subscriptionId } = order
  order.assertPayable()
  if (!subscriptionId || order.checkoutId) throw new Conflict('The order is paid by its checkout.')
  if (await hasPaymentInProgress(id, em)) throw new PaymentInProgress('A payment of the order is in progress.')
  const subscription = await em.findOneOrFail(Subscription, subscriptionId)
  assertNeeded(order, subscription)
  const leasedUntil = new Date(now.getTime() + callLeaseMs)
  if (!(await chargeOrder(context, { order, subscription, initiator: 'seller', leasedUntil })))
    throw new Conflict('No stored payment method can be charged for this order. Ask the buyer for another one.')
  await em.flush()
  const payment = await em.findOneOrFail(Payment, { orderId: id, settledAt: null })
  return { id: payment.id, organizationId, lease: leasedUntil.toISOString() }
}

/**
 * Throws `Conflict` for the period of a subscription that has ended without its payment: the buyer would pay for nothing. Prorations are still
 * owed.
 */
export function assertNeeded({ periodStart }: Pick<Order, 'periodStart'>, { status }: Pick<Subscription, 'status'>): void {
  if (!periodStart || !isTerminal(status)) return
  throw new Conflict('The subscription has ended. Its last period is not owed any more.')
}
