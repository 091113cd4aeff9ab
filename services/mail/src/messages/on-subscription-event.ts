import {
  type AnnouncedSubscription,
  subscriptionRenewalAhead,
  subscriptionTrialEnding,
} from '@quittance/contracts/subscription-announcements'
import {
  subscriptionActive,
  subscriptionCanceled,
  subscriptionCreated,
  subscriptionRevoked,
  subscriptionUncanceled,
  subscriptionUpdated,
  type Subscription,
} from '@quittance/contracts/subscriptions'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer, type Transaction } from '@quittance/runtime/handler'
import type { MailData } from '../content/mail-data.ts'
import { storeCustomers } from './customer-copy.ts'
import { storeBuyerMessage } from './store-message.ts'

const findProduct = `select product_id, product_name from subscriptions where id = :id and organization_id = any (:scope_organizations) for update`

const storeProduct = `
  insert into subscriptions (id, organization_id, product_id, product_name)
  select :id::uuid, :organization_id::uuid, :product_id::uuid, :product_name::text where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set product_id = excluded.product_id, product_name = excluded.product_name
  where subscriptions.organization_id = excluded.organization_id`

/** Sends mails about changes of a subscription. The plan before a change is known from earlier events of the subscription. */
export const onSubscriptionEvent = consumer(
  durableConsumers.mailSubscriptions,
  [
    subscriptionCreated,
    subscriptionUpdated,
    subscriptionActive,
    subscriptionCanceled,
    subscriptionUncanceled,
    subscriptionRevoked,
    subscriptionRenewalAhead,
    subscriptionTrialEnding,
  ],
  async (message, transaction) => {
    const { event, payload: subscription, organizationId } = message
    if (organizationId === null) throw new Error('The event has no organization')
    await storeCustomers(transaction, [subscription.customer], organizationId)
    const planChange = await recordPlan(transaction, subscription, organizationId)
    const data = event.subject === subscriptionUpdated.subject ? planChange : toChange(event.subject, subscription)
    if (data === null) return
    // The end may have two events.
    const sourceId = data.kind === 'subscription_ended' ? subscription.id : message.id
    await storeBuyerMessage(transaction, message, { data, sourceId, customer: subscription.customer })
  },
)

/** Returns the mail about another plan than at the last event; null if the plan is the same or was not known. */
async function recordPlan({ sql }: Transaction, subscription: Subscription, organizationId: string): Promise<MailData | null> {
  const { id, product, product_id } = subscription
  const [known] = await sql<{ product_id: string; product_name: string }>('subscription.find-product', findProduct, { id })
  // A change that is not paid yet may be undone.
  if (known?.product_id === product_id || subscription.unpaid_change_order_id) return null
  await sql('subscription.store-product', storeProduct, { id, organization_id: organizationId, product_id, product_name: product.name })
  if (!known) return null
  return { kind: 'plan_changed', product: product.name, previousProduct: known.product_name, ...toPrice(subscription) }
}

function toChange(subject: string, subscription: AnnouncedSubscription): MailData | null {
  const { id, status, ends_at, current_period_end, product, next_product: next } = subscription
  const { next_payment_attempt_at: nextAttemptAt, ends_unpaid_at: endsUnpaidAt, is_paid_by_transfer: isPaidByTransfer } = subscription
  const shared = { product: product.name, ...toPrice(subscription) }
  // Access is paused until the failed payment succeeds.
  const owed = status === 'past_due' ? { subscriptionId: id, isPaidByTransfer, nextAttemptAt, endsUnpaidAt } : {}
  switch (subject) {
    case subscriptionCanceled.subject:
      // An end at once. It also revokes the access, unless a failed payment did before.
      if (status === 'canceled') return { kind: 'subscription_ended', ...shared, until: null }
      return { kind: 'subscription_cancelled', ...shared, until: ends_at ?? current_period_end, ...owed }
    case subscriptionUncanceled.subject:
      return { kind: 'subscription_uncancelled', ...shared, until: current_period_end, ...owed }
    case subscriptionRevoked.subject:
      if (status === 'past_due') return { kind: 'payment_failed', ...shared, until: null, ...owed }
      return { kind: 'subscription_ended', ...shared, until: null }
    case subscriptionRenewalAhead.subject:
    case subscriptionTrialEnding.subject:
      // The mail states a payment: there is none for a planned product that is free.
      if (current_period_end === null || (next && subscription.next_amount === 0)) return null
      return {
        kind: subject === subscriptionTrialEnding.subject ? 'trial_ending' : 'renewal_ahead',
        ...shared,
        ...(next && { currency: next.currency, interval: next.recurring_interval }),
        // A trial is that of the product before.
        ...(next && subject === subscriptionRenewalAhead.subject && { product: next.name }),
        amount: subscription.next_amount ?? shared.amount,
        ...(subscription.next_total_amount !== undefined && { total: subscription.next_total_amount }),
        renewsAt: current_period_end,
        isPaidByTransfer,
      }
    default:
      return null
  }
}

function toPrice({ amount, currency, recurring_interval: interval }: Subscription) {
  return { amount, currency, interval }
}
