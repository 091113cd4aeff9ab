import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import type { Order } from '../orders/order.ts'
import type { Proration } from './prorations.ts'
import { termProperties } from './subscription-schema.ts'
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
    ...termProperties,
    /** Prorations that the change created. */
    prorationIds: p.array(),
  },
  filters: organizationFilter,
})
export class UnpaidChange extends UnpaidChangeSchema.class {}
UnpaidChangeSchema.setClass(UnpaidChange)

const termNames = Object.keys(termProperties) as (keyof typeof termProperties)[]

export type ProductTerms = Pick<Subscription, (typeof termNames)[number]>

/** Returns the terms that a subscription, or a stored change, has. Every column of them is restored by an undo. */
export function readTerms(source: ProductTerms): ProductTerms {
  return Object.fromEntries(termNames.map((name) => [name, source[name] ?? null])) as unknown as ProductTerms
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
