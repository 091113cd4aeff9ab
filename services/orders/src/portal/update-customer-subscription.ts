import { isWholeCustomer } from '@quittance/contracts/caller'
import {
  previewCustomerSubscriptionChange as previewCustomerSubscriptionChangeContract,
  UpdateSubscriptionNotAllowed,
  updateCustomerSubscription as updateCustomerSubscriptionContract,
} from '@quittance/contracts/customer-subscriptions'
import type { RequestOf } from '@quittance/contracts/operation'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'
import { command, staged, type CommandContext } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/organization.ts'
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

export const updateCustomerSubscription = command(updateCustomerSubscriptionContract, async (request, context) => {
  const { id } = request
  await changeSubscription(id, context, (subscription, clock) => apply(request, subscription, { context, clock }))
  return context.read.one(customerSubscriptionView, { where: 's.id = :id', values: { id } })
})

interface Change {
  context: CommandContext
  clock: OrganizationClock
}

async function apply(request: Request, subscription: Subscription, { context, clock }: Change): Promise<void> {
  if (request.product_id !== undefined) {
    const { product_id, proration_behavior, previewed_at } = request
    const isChosenByCustomer = isWholeCustomer(context.caller)
    const change = { product_id, proration_behavior, previewed_at }
    await applyProductChange(subscription, change, { context, clock, isChosenByCustomer, assertAllowed: assertMayUpdate })
    return acceptSubscription(subscription, context)
  }
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
