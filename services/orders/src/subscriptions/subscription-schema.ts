import { defineEntity, p, raw } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import type { CancellationReason, SubscriptionStatus } from '@quittance/contracts/subscription-status'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { RecurringInterval } from '../pricing/billing-period.ts'

const filterByCheckout = (checkoutId: string) => ({
  [raw((alias) => `${alias}.id = (select x.subscription_id from orders x where x.checkout_id = ?)`, [checkoutId])]: [],
})

/** What a change of product changes of a subscription. */
export const termProperties = {
  currency: p.text(),
  /** The advertised price of a period; `amount` is this price less the discount. */
  priceAmount: p.bigint('bigint'),
  amount: p.bigint('bigint'),
  /** Cost of the current period, from which a product change computes its credit. */
  periodAmount: p.bigint('bigint'),
  recurringInterval: p.text().$type<RecurringInterval>(),
  anchorDay: p.integer(),
  currentPeriodStart: p.datetime(),
  currentPeriodEnd: p.datetime(),
  productId: p.uuid(),
  productPriceId: p.uuid(),
  /** Price by which the current period was charged; null if it is that of the product. */
  periodPriceId: p.uuid().nullable(),
  /** Product from the next period on; null if it does not change. */
  pendingProductId: p.uuid().nullable(),
  discountId: p.uuid().nullable(),
  /** Start of the first period the discount lowers. */
  discountFrom: p.datetime().nullable(),
  /** Discount of the current period, removed or replaced from the next one on; null if it is that of the subscription. */
  periodDiscountId: p.uuid().nullable(),
}

/** Columns of a subscription; `Subscription` is its class. */
export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    status: p.text().$type<SubscriptionStatus>(),
    ...termProperties,
    /** The trial is the first period; null without one. */
    trialStart: p.datetime().nullable(),
    trialEnd: p.datetime().nullable(),
    cancelAtPeriodEnd: p.boolean(),
    canceledAt: p.datetime().nullable(),
    startedAt: p.datetime().nullable(),
    endsAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    customerId: p.uuid(),
    checkoutId: p.uuid().nullable(),
    customerCancellationReason: p.text().$type<CancellationReason>().nullable(),
    customerCancellationComment: p.text().nullable(),
    /** Method for renewals; null for the customer's default. */
    paymentMethodId: p.uuid().nullable(),
    /** The signed-in customer chose its product or payment method, or paid one of its orders. */
    isAccepted: p.boolean(),
    /** For release 0.1.0: token of the sandbox for renewals; null if nothing ever had to be paid. */
    paymentToken: p.text().nullable(),
    failedCharges: p.integer(),
    metadata: p.json<Metadata>(),
    /** Next time the job handles it, in real time; null while a payment is pending, and after the end. */
    dueAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter(filterByCheckout) },
})
