import { isWholeCustomer } from '@quittance/contracts/caller'
import {
  previewCustomerSubscriptionChange as previewCustomerSubscriptionChangeContract,
  UpdateSubscriptionNotAllowed,
  updateCustomerSubscription as updateCustomerSubscriptionContract,
} from '@quittance/contracts/customer-subscriptions'
import type { RequestOf } from '@quittance/contracts/operation'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/organization.ts'
import type { StartedRow } from '../payments/await-payment.ts'
import { awaitChange, type StartedChange } from '../subscriptions/await-change.ts'
import { acceptSubscription, choosePaymentMethod } from '../subscriptions/charge-owed-orders.ts'
import { changeSubscription } from '../subscriptions/lock-subscription.ts'
import { withdrawCancellation } from '../subscriptions/owed-orders.ts'
import { askForChange, previewChange } from '../subscriptions/preview-change.ts'
import { applyProductChange } from '../subscriptions/previewed-change.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import { customerSubscriptionView } from './customer-subscriptions.ts'
import { requireUnboundCustomerId } from './own-customer.ts'

export const previewCustomerSubscriptionChange = staged(previewCustomerSubscriptionChangeContract, {
  commit: (request, context) => askForChange(request, context, assertMayUpdate),
  finish: previewChange,
})

function assertMayUpdate({ allow_customer_updates }: SubscriptionSettings): void {
  if (!allow_customer_updates) throw new UpdateSubscriptionNotAllowed('Updating subscription is not allowed.')
}

type Request = RequestOf<typeof updateCustomerSubscriptionContract>

/** Changes a subscription. A change that is charged at once is decided by the first result of its payment. */
export const updateCustomerSubscription = staged(updateCustomerSubscriptionContract, {
  async commit(request, context): Promise<StartedChange> {
    const { id } = request
    const payment = await changeSubscription(id, context, (subscription, clock) => apply(request, subscription, { context, clock }))
    return { id, payment }
  },
  async finish(started, context) {
    await awaitChange(started, context)
    return context.read.one(customerSubscriptionView, { where: 's.id = :id', values: { id: started.id } })
  },
})

interface Change {
  context: CommandContext
  clock: OrganizationClock
}

/** Returns the payment of a change that is charged at once. */
async function apply(request: Request, subscription: Subscription, { context, clock }: Change): Promise<StartedRow | null> {
  if (request.product_id !== undefined) {
    const { product_id, proration_behavior, previewed_at } = request
    const isChosenByCustomer = isWholeCustomer(context.caller)
    const change = { product_id, proration_behavior, previewed_at }
    const applying = { context, clock, isChosenByCustomer, assertAllowed: assertMayUpdate }
    const payment = await applyProductChange(subscription, change, applying)
    acceptSubscription(subscription, context)
    return payment
  }
  await applyOther(request, subscription, { context, clock })
  return null
}

type OtherChange = Exclude<Request, { product_id: string }>

async function applyOther(request: OtherChange, subscription: Subscription, { context, clock }: Change): Promise<void> {
  if (request.payment_method_id !== undefined) {
    requireUnboundCustomerId(context.caller)
    await choosePaymentMethod(subscription, { id: request.payment_method_id, context })
    return acceptSubscription(subscription, context)
  }
  if (request.pending_update === null) return subscription.dropPlannedProduct()
  return changeCancellation(request, subscription, { context, clock })
}

type Cancellation = Extract<Request, { cancel_at_period_end?: unknown }>

async function changeCancellation(request: Cancellation, subscription: Subscription, { context, clock }: Change): Promise<void> {
  const cancellation = { reason: request.cancellation_reason, comment: request.cancellation_comment }
  if (request.cancel_at_period_end === true) subscription.cancel(clock, cancellation)
  else if (request.cancel_at_period_end === false) await withdrawCancellation(subscription, { context, clock })
  else subscription.recordCancellation(cancellation)
}
