import { followsDefault, isChargeable } from '../payment-methods/stored-methods.ts'

/** Networks charge for, and refuse, more attempts with a declined method. */
export const maxMethodDeclines = 10

/** SQL of the declines of an order that are final for a method; `o` is the order. */
export const finalDeclines = (order: string, method: string): string =>
  `select from payments p join orders o on o.id = p.order_id
      where p.order_id = ${order} and p.payment_method_id = ${method} and p.decline_kind in ('hard', 'needs_buyer')`

/** SQL of the number of declines of a method in the 30 days before a moment, by the clock of the organization. */
export const countDeclines = (method: string, at: string): string =>
  `select count(*) from payments p
      where p.payment_method_id = ${method} and p.failure_reason = 'declined'
        and p.created_at + p.clock_offset_ms * interval '1 millisecond' > ${at} - interval '30 days'`

/**
 * Condition of a subscription `s` whose orders may be charged to the default method. The first release of methods left one without a method when
 * the customer chose another default; it had been paid with one before.
 */
export const mayUseDefault = `(${followsDefault} or (s.payment_method_id is null and exists (
  select from payments q join orders paid on paid.id = q.order_id
  where paid.subscription_id = s.id and q.applied_at is not null and q.payment_method_id is not null)))`

/** SQL of the stored method that a subscription `s` is charged to, as `findMethod` finds it; null without one. */
export const methodToCharge = `(select m.id from payment_methods m left join payment_accounts a on a.id = m.payment_account_id
      where m.customer_id = s.customer_id and (m.id = s.payment_method_id or (m.is_default and ${mayUseDefault})) and ${isChargeable}
      order by m.id = s.payment_method_id desc nulls last limit 1)`
