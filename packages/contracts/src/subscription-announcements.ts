import { event } from './event.ts'
import { z } from 'zod'
import { nextAmount, Subscription } from './subscriptions.ts'

const nextProduct = Subscription.pick({ currency: true, recurring_interval: true })
  .extend({ id: Subscription.shape.product_id, name: Subscription.shape.product.shape.name })
  .optional()
  .describe('The product that is planned for the next period, for which next_amount is the price; absent if the product stays.')

/** In minor units; absent in events of earlier releases. */
const nextTotalAmount = z
  .int()
  .optional()
  .describe('Amount that the order of the next period charges: with tax, and with what changes of product still owe or credit.')

/** A subscription before its next period. Earlier releases may publish it without the amounts of that. */
export const AnnouncedSubscription = Subscription.extend({
  next_amount: nextAmount,
  next_total_amount: nextTotalAmount,
  next_product: nextProduct,
}).meta({
  id: 'AnnouncedSubscription',
})
export type AnnouncedSubscription = z.infer<typeof AnnouncedSubscription>

/** Events about what will happen to a subscription. Mails follow. */
const announced = { publisher: 'orders', payload: AnnouncedSubscription } as const

export const subscriptionRenewalAhead = event({
  subject: 'event.subscription.renewal_ahead',
  webhookType: null,
  summary: 'A yearly subscription renews within 30 days. Once for each period.',
  ...announced,
})

export const subscriptionTrialEnding = event({
  subject: 'event.subscription.trial_ending',
  webhookType: 'subscription.trial_ending',
  summary: 'The trial of a subscription ends within three days. Once for each trial.',
  ...announced,
})
