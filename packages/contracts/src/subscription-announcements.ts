import { event } from './event.ts'
import { Subscription } from './subscriptions.ts'

/** Events about what will happen to a subscription. Mails follow. */
const announced = { publisher: 'orders', payload: Subscription } as const

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
