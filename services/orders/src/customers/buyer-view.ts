/**
 * A customer as shown to the buyer of one purchase: the values typed at the checkout if it found the customer by an e-mail address that
 * anyone could have typed, otherwise the customer's own details. `c` is the customer, `typed` the checkout in the first case.
 */
const own = (column: string, typed: string) => `case when typed.id is null then c.${column} else ${typed} end as ${column}`

const details = `${own('modified_at', 'null')}, ${own('email', 'typed.customer_email')}, ${own('email_verified', 'false')},
  ${own('name', 'typed.customer_name')}, ${own('billing_address', 'typed.customer_billing_address')}, ${own('tax_id', 'null')},
  ${own('locale', 'null')}`

const avatar = `'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(lower(
  case when typed.id is null then c.email else typed.customer_email end), 'UTF8')), 'hex') || '?d=blank' as avatar_url`

/** Without the data added by the seller. */
export const buyerColumns = `c.id, c.created_at, '{}'::json as metadata, null as external_id, 'individual' as type, null as billing_name, ${details}, c.organization_id, c.deleted_at,
  ${avatar}`

/** As in the portal. */
export const portalBuyerColumns = `c.id, c.created_at, ${details}, null as billing_name, '{}'::json as oauth_accounts`

/** Arguments of `nested` for the buyer of a grant, given the columns that hold the ids of the grant and of its customer. */
export function grantBuyer({ grant, customer }: { grant: string; customer: string }, columns: string): [columns: string, rows: string] {
  return [
    columns,
    `customers c left join lateral (
      select ch.* from benefit_grants cause left join orders bo on bo.id = cause.order_id
        left join subscriptions bs on bs.id = cause.subscription_id
        join checkouts ch on ch.id = coalesce(bo.checkout_id, bs.checkout_id)
      where cause.id = ${grant} and not ch.is_customer_proven) typed on true
    where c.id = ${customer}`,
  ]
}
