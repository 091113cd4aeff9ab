import { z } from 'zod'

export const TrialInterval = z.enum(['day', 'week', 'month', 'year']).meta({ id: 'TrialInterval' })
export type TrialInterval = z.infer<typeof TrialInterval>

/** The longest trials: about two years. */
export const maxTrialCounts: Readonly<Record<TrialInterval, number>> = { day: 730, week: 104, month: 24, year: 2 }

/** The trial of a product, as its seller sets it. Both of interval and count, or neither. */
export const trialInput = {
  trial_interval: TrialInterval.nullish().describe('Null: the product has no trial.'),
  trial_interval_count: z.int().min(1).max(maxTrialCounts.day).nullish().describe('Number of intervals; at most two years together.'),
  trial_without_payment_method: z
    .boolean()
    .nullish()
    .describe(
      '`true`: a trial begins without a payment method, and nothing is charged unless the buyer chooses one during the trial. Otherwise the method is stored with the order.',
    ),
}

/** The trial of a product in replies. */
export const trialOfProduct = {
  trial_interval: TrialInterval.nullable(),
  trial_interval_count: z.int().nullable(),
  trial_without_payment_method: z.boolean().optional().describe('Whether a trial begins without a payment method.'),
}

const ofProductOnly = z.null({ error: 'Must be null: the product has the trial.' }).optional()

/** Keys with which other systems set the trial of a purchase. A trial of another length than the seller asked for would be charged too early. */
export const trialOfPurchase = { trial_interval: ofProductOnly, trial_interval_count: ofProductOnly }
