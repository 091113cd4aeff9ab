import type { CustomerState } from '@quittance/contracts/customer-state'
import { nestedList, type View } from '@quittance/runtime/view'
import { customerColumns, presentCustomers } from './customer-view.ts'

const active = nestedList(
  `s.id, s.created_at, s.modified_at, '{}'::json as custom_field_data, s.metadata, s.status, s.amount, s.currency, s.recurring_interval,
    s.current_period_start, s.current_period_end, s.cancel_at_period_end, s.canceled_at, s.started_at, s.ends_at,
    s.product_id, s.discount_id, '[]'::json as meters, s.product_price_id as price_id`,
  `subscriptions s where s.customer_id = c.id and s.status = 'active' order by s.started_at, s.id`,
)

/** What was granted of a benefit that is deleted ends for readers at once, while its revocation is told by and by. */
const granted = nestedList(
  `g.id, g.created_at, g.modified_at, g.granted_at, g.benefit_id, b.type as benefit_type, b.metadata as benefit_metadata, g.properties`,
  `benefit_grants g join benefits b on b.id = g.benefit_id
    where g.customer_id = c.id and g.revoked_at is null and b.deleted_at is null order by g.granted_at, g.id`,
)

const columns = `${customerColumns}, ${active} as active_subscriptions, ${granted} as granted_benefits, '[]'::json as active_meters`

/** A customer with what they have now. */
export const customerStateView: View<CustomerState> = { name: 'customer-state', ...presentCustomers, columns }

/** The same as the event tells it, which is also said of a customer who was just deleted. */
export const customerStateAsDeletedView: View<CustomerState> = {
  ...customerStateView,
  name: 'customer-state-as-deleted',
  from: 'customers c',
}
