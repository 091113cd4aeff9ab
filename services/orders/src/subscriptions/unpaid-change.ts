import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Order } from '../orders/order.ts'
import type { RecurringInterval } from '../pricing/billing-period.ts'
import type { Proration } from './prorations.ts'
import type { Subscription } from './subscription.ts'

/** Terms of a subscription before a change of product whose order is not paid yet. */
export const UnpaidChangeSchema = defineEntity({
  name: 'UnpaidChange',
  tableName: 'unpaid_changes',
  properties: {
    orderId: p.uuid().primary(),
    createdAt: p.datetime().onCreate(() => new Date()),
    organizationId: p.uuid(),
    subscriptionId: p.uuid(),
    productId: p.uuid(),
    productPriceId: p.uuid(),
    periodPriceId: p.uuid().nullable(),
    pendingProductId: p.uuid().nullable(),
    currency: p.text(),
    priceAmount: p.bigint('bigint'),
    amount: p.bigint('bigint'),
    periodAmount: p.bigint('bigint'),
    recurringInterval: p.text().$type<RecurringInterval>(),
    anchorDay: p.integer(),
    currentPeriodStart: p.datetime(),
    currentPeriodEnd: p.datetime(),
    discountId: p.uuid().nullable(),
    discountFrom: p.datetime().nullable(),
    periodDiscountId: p.uuid().nullable(),
    /** Prorations that the change created. */
    prorationIds: p.array(),
  },
  filters: organizationFilter,
})
export class UnpaidChange extends UnpaidChangeSchema.class {}
UnpaidChangeSchema.setClass(UnpaidChange)

/** What a change of product changes of a subscription. */
export type ProductTerms = ReturnType<typeof readTerms>

/** Returns the terms that a subscription, or a stored change, has. */
export function readTerms(source: Subscription | UnpaidChange) {
  return {
    productId: source.productId,
    productPriceId: source.productPriceId,
    currency: source.currency,
    priceAmount: source.priceAmount,
    amount: source.amount,
    periodAmount: source.periodAmount,
    recurringInterval: source.recurringInterval,
    anchorDay: source.anchorDay,
    currentPeriodStart: source.currentPeriodStart,
    currentPeriodEnd: source.currentPeriodEnd,
    discountId: source.discountId ?? null,
    discountFrom: source.discountFrom ?? null,
    periodPriceId: source.periodPriceId ?? null,
    periodDiscountId: source.periodDiscountId ?? null,
    pendingProductId: source.pendingProductId ?? null,
  }
}

interface StoredChange {
  order: Order
  terms: ProductTerms
  prorations: readonly Proration[]
  em: Transaction['em']
}

/** Stores the terms before a change until its order is paid. */
export function storeUnpaidChange({ id, organizationId }: Subscription, { order, terms, prorations, em }: StoredChange): void {
  const prorationIds = prorations.map((proration) => proration.id)
  em.create(UnpaidChange, { orderId: order.id, organizationId, subscriptionId: id, ...terms, prorationIds })
}

const unpaid = `
  select u.order_id as "orderId" from unpaid_changes u join orders o on o.id = u.order_id
  where u.subscription_id = :subscription_id and o.status = 'pending' and o.voided_at is null
    and o.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts}`

/** Returns the order of a change that is not paid yet; null if there is none. A change paid by the release before has left its row. */
export async function findUnpaidChange({ id }: Pick<Subscription, 'id'>, { sql }: Pick<Transaction, 'sql'>): Promise<string | null> {
  const [found] = await sql<{ orderId: string }>('subscription.unpaid-change', unpaid, { subscription_id: id })
  return found?.orderId ?? null
}
