import { z } from 'zod'
import { Id, Timestamp } from './identifiers.ts'
import { Amount, Currency } from './money.ts'

/** The change of a product takes effect now or with the next period. */
export const ProrationBehavior = z
  .enum(['invoice', 'prorate', 'none', 'next_period'])
  .describe(
    'invoice: the difference is billed now, and the change is undone if that is declined; prorate: it is billed with the next order; none: the change is immediate, and nothing is made up for; next_period: it takes effect with the next period.',
  )
export type ProrationBehavior = z.infer<typeof ProrationBehavior>

/** Amounts of a previewed change are those at its time, for 15 minutes, unless what they depend on changes. */
export const PreviewedAt = Timestamp.nullish().describe(
  '`previewed_at` of a preview at most 15 minutes ago: the change has its amounts. Rejected if the subscription, an order of it, the price, the customer or a tax rate has changed since.',
)

/** Absent in events of earlier releases. */
export const UnpaidChangeOrderId = Id.nullish().describe(
  'Order of a change of product that is charged at once and not paid yet: until then the benefits are those before, and without payment the change is undone.',
)

/** An order as a change would place it. */
export const PreviewedOrder = z
  .object({
    at: Timestamp,
    currency: Currency,
    subtotal_amount: Amount,
    discount_amount: Amount,
    net_amount: Amount,
    tax_amount: Amount,
    total_amount: Amount.describe('What is charged.'),
    items: z.array(z.object({ label: z.string(), amount: Amount, discount_amount: Amount, tax_amount: Amount, proration: z.boolean() })),
  })
  .meta({ id: 'PreviewedOrder' })
export type PreviewedOrder = z.infer<typeof PreviewedOrder>

/** What a change of product would bill. */
export const SubscriptionChangePreview = z
  .object({
    product_id: Id,
    proration_behavior: ProrationBehavior,
    applies_at: Timestamp.describe('When the subscription has the product.'),
    previewed_at: Timestamp.describe('Send it with the change within 15 minutes: then exactly this is billed.'),
    due_now: PreviewedOrder.nullable().describe('The order of the change; null if it bills nothing now.'),
    next_order: PreviewedOrder.describe('The order of the next period, if nothing else changes until then.'),
  })
  .meta({ id: 'SubscriptionChangePreview' })
export type SubscriptionChangePreview = z.infer<typeof SubscriptionChangePreview>
