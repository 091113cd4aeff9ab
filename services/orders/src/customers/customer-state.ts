import { type CustomerState, customerStateChanged, maxStateMetadataBytes } from '@quittance/contracts/customer-state'
import { nestedList, type View } from '@quittance/sql/view'
import { customerColumns, activeCustomers } from './customer-view.ts'
import { lockCustomer } from './lock-customer.ts'
import type { Transaction } from '@quittance/runtime/handler'

/** Leaves out all metadata of a list if they are too large together: however many there are, a purchase must be published and the state be read. */
const limited = (metadata: string) =>
  `case when sum(octet_length(${metadata}::text)) over () <= ${maxStateMetadataBytes} then ${metadata} else '{}' end`

/** Those with access, a trial too. Clients accept no other status than `active`. */
const active = nestedList(
  `s.id, s.created_at, s.modified_at, '{}'::json as custom_field_data, ${limited('s.metadata')} as metadata, 'active' as status, s.amount, s.currency, s.recurring_interval,
    s.current_period_start, s.current_period_end, s.cancel_at_period_end, s.canceled_at, s.trial_start, s.trial_end, s.started_at, s.ends_at,
    s.product_id, s.discount_id, '[]'::json as meters, s.product_price_id as price_id`,
  `subscriptions s where s.customer_id = c.id and s.status in ('trialing', 'active') order by s.started_at, s.id`,
)

/** Hides grants of a deleted benefit at once, while a job publishes their revocations in batches. */
const granted = nestedList(
  `g.id, g.created_at, g.modified_at, g.granted_at, g.benefit_id, b.type as benefit_type, ${limited('b.metadata')} as benefit_metadata, g.properties`,
  `benefit_grants g join benefits b on b.id = g.benefit_id
    where g.customer_id = c.id and g.revoked_at is null and b.deleted_at is null order by g.granted_at, g.id`,
)

const columns = `${customerColumns}, ${active} as active_subscriptions, ${granted} as granted_benefits, '[]'::json as active_meters`

/** A customer with their current subscriptions and benefits. */
export const customerStateView: View<CustomerState> = { name: 'customer-state', ...activeCustomers, columns }

/** The same for the event, which is also published for a customer who was just deleted. */
export const customerStateAsDeletedView: View<CustomerState> = {
  ...customerStateView,
  name: 'customer-state-as-deleted',
  from: 'customers c',
}

/**
 * Publishes `customer.state_changed` with the customer's current state. Must be the last event of the customer in its transaction. The
 * lock makes the last published state the one that holds: a concurrent transaction reads it after this one has committed.
 */
export async function publishCustomerState({ sql, read, publish }: Transaction, customerId: string): Promise<void> {
  await lockCustomer(sql, customerId)
  const state = await read.one(customerStateAsDeletedView, { where: 'c.id = :id', values: { id: customerId } })
  const { organization_id: organizationId } = JSON.parse(state) as { organization_id: string }
  publish({ event: customerStateChanged, aggregateId: customerId, organizationId, payload: state })
}
