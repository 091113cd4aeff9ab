import type { Checkout, CheckoutPublic } from '@quittance/contracts/checkout'
import { nested, nestedList, type View } from '@quittance/sql/view'
import { pagesUrl } from '../config.ts'
import type { Mode } from '../providers/provider.ts'
import { checkoutDiscountColumns } from '../catalog/discounts/discount-view.ts'
import { checkoutProductColumns, priceColumns } from '../catalog/products/product-view.ts'
import { accountForPayments, sandboxMetadata } from '../providers/processor-metadata.ts'

const net = 'ch.amount - ch.discount_amount'
const total = `${net} + coalesce(ch.tax_amount, 0)`

const trial = `(ch.allow_trial and ch.subscription_id is null and ch.price_amount > 0 and pr.trial_interval is not null
  and (ch.status = 'open' and not exists (select from trial_redemptions t where t.customer_id = ch.linked_customer_id and t.product_id = ch.product_id)
    or ch.trial_end is not null))`

const trialEnd = `coalesce(ch.trial_end, (select now() + k.clock_offset_ms * interval '1 millisecond'
    + pr.trial_interval_count * ('1 ' || pr.trial_interval)::interval from organizations k where k.id = ch.organization_id))`

/** Nothing is due now, but later payments are. A trial begins without a payment method. */
const setup = `(${trial} and not pr.trial_without_payment_method or not ${trial} and ${total} = 0 and ch.amount > 0 and pr.recurring_interval is not null)`

const due = `(${total} > 0 and not ${trial})`

const addressFields = `(select row_to_json(x) from (
  select true as country, ch.require_billing_address as state, ch.require_billing_address as city, ch.require_billing_address as postal_code,
    ch.require_billing_address as line1, false as line2) x)`

const mode = "case when ch.require_billing_address then 'required' else 'disabled' end"
const addressFieldModes = `(select row_to_json(x) from (
  select 'required' as country, ${mode} as state, ${mode} as city, ${mode} as postal_code, ${mode} as line1,
    case when ch.require_billing_address then 'optional' else 'disabled' end as line2) x)`

const products = nestedList(
  checkoutProductColumns,
  `unnest(ch.product_ids) with ordinality as chosen (id, position) join products pr on pr.id = chosen.id order by chosen.position`,
)

/** Links start with the public address, which is configuration and the same on every replica. */
const url = () => `'${pagesUrl().replaceAll("'", "''")}/checkout/' || ch.client_secret`

const publicColumns =
  () => `ch.id, ch.created_at, ch.modified_at, '{}'::json as custom_field_data, 'stripe' as payment_processor, ch.status, ch.client_secret,
  ${url()} as url, ch.expires_at,
  coalesce(replace(ch.success_url, '{CHECKOUT_ID}', ch.id::text), ${url()} || '/confirmation') as success_url, null as return_url, ch.embed_origin,
  ch.amount, ch.price_amount, ch.discount_amount, ${net} as net_amount, ch.tax_amount, ch.taxes, ${total} as total_amount, ${net} as subtotal_amount, ch.currency, pp.tax_behavior,
  ch.allow_trial, case when ${trial} then pr.trial_interval end as active_trial_interval,
  case when ${trial} then pr.trial_interval_count end as active_trial_interval_count, case when ${trial} then ${trialEnd} end as trial_end, ch.organization_id,
  ch.product_id, ch.product_price_id, ch.discount_id, ch.allow_discount_codes, ch.require_billing_address,
  pp.amount_type <> 'free' as is_discount_applicable, pp.amount_type = 'free' as is_free_product_price,
  ${due} as is_payment_required, ${setup} as is_payment_setup_required, (${due} or ${setup}) as is_payment_form_required,
  ch.customer_id, ch.is_business_customer, ch.customer_name, ch.customer_email, ch.customer_ip_address, ch.customer_billing_name,
  ch.customer_billing_address, ch.customer_tax_id, ${addressFields} as customer_billing_address_fields,
  ${addressFieldModes} as billing_address_fields, null as prices,
  ${products} as products, ${nested(checkoutProductColumns)} as product, ${nested(priceColumns)} as product_price,
  case when d.id is not null then ${nested(checkoutDiscountColumns)} end as discount, '[]'::json as attached_custom_fields`

const lookupJoins = `join products pr on pr.id = ch.product_id
  join product_prices pp on pp.id = ch.product_price_id
  left join discounts d on d.id = ch.discount_id`

/** A checkout for its seller. */
export const checkoutView: View<Checkout> = {
  name: 'checkout',
  organization: 'ch.organization_id',
  from: 'checkouts ch',
  lookupJoins,
  key: 'ch.id',
  counter: { list: 'checkouts', time: 'ch.created_at' },
  get columns() {
    return `${publicColumns()}, ${sandboxMetadata('ch.organization_id')} as payment_processor_metadata, ch.metadata, ch.external_customer_id, ch.external_customer_id as customer_external_id,
      ch.subscription_id, null as trial_interval, null as trial_interval_count, ch.customer_metadata`
  },
}

/** A checkout found by its client secret, which the condition contains. */
export const checkoutBySecretView: View<CheckoutBySecret> = {
  name: 'checkout-by-secret',
  organization: null,
  unscopedReason: 'the client secret in the condition authorizes the read',
  from: 'checkouts ch',
  columns: `ch.id, ch.organization_id, ${nested(
    'a.id, a.provider, a.mode, a.provider_account, a.credentials_sealed, a.paused_until',
    `payment_accounts a where a.organization_id = ch.organization_id and a.is_default and a.status = 'active'`,
  )} as account`,
}

/** A checkout with the account of its seller at a payment provider; null for the sandbox. */
export interface CheckoutBySecret {
  id: string
  organization_id: string
  account: {
    id: string
    provider: string
    mode: Mode
    provider_account: string | null
    credentials_sealed: string | null
    paused_until: string | null
  } | null
}

/** What the payment page needs: the seller's account, and an open payment. Only the buyer gets the secret with which a payment is completed. */
const paymentMetadata = () => `(
    select json_strip_nulls(json_build_object('provider', coalesce(a.provider, ${sandboxMetadata('ch.organization_id')}->>'provider'), 'publishable_key', a.publishable_key,
      'setup_future_usage', case when a.id is not null and pr.recurring_interval is not null then 'off_session' end,
      'intent_status', case when coalesce(p.state, ps.state) = 'requires_action' then 'requires_action' when coalesce(p.id, ps.id) is not null then 'processing' end,
      'intent_client_secret', coalesce(p.action, ps.action)->>'clientSecret',
      'bank_transfer', case when not ${trial} and exists (select from payment_accounts b where b.organization_id = ch.organization_id and b.status = 'active'
        and b.provider = 'bank_transfer' and b.settings->'bank'->>'currency' = ch.currency) then 'available' end,
      'beneficiary', t->>'beneficiary', 'iban', t->>'iban', 'bic', t->>'bic', 'amount', case when t is not null then p.amount::text end,
      'currency', case when t is not null then p.currency end,
      'reference', t->>'reference', 'due_date', t->>'dueDate', 'epc', t->>'epc'))
    from (select) one
    left join ${accountForPayments('ch.organization_id')}
    left join payments p on p.checkout_id = ch.id and p.is_open and p.state <> 'closing'
    left join payment_setups ps on ps.checkout_id = ch.id and ps.state not in ('closing', 'failed', 'succeeded')
    cross join lateral (select p.action->'instructions' as t) sent)`

/** A checkout for its buyer, who is the holder of the client secret. */
export const checkoutPublicView: View<CheckoutPublic> = {
  name: 'checkout-public',
  organization: null,
  unscopedReason: 'the client secret in the condition authorizes the read',
  from: 'checkouts ch',
  lookupJoins: `${lookupJoins} join organizations g on g.id = ch.organization_id`,
  get columns() {
    return `${publicColumns()}, ${paymentMetadata()} as payment_processor_metadata, g.document as organization`
  },
}
