import { migration } from '@quittance/runtime/schema'

/**
 * Creates an index for every filter and every sort order of every list: organization first, time and id last, so that a page is read from
 * the index without the table. On large tables create them `concurrently` before the update, under the same names (docs/operations.md).
 */
const create = (name: string, definition: string) => `create index if not exists ${name} on ${definition}`

const replaced = [
  'customers_by_organization',
  'products_by_organization',
  'discounts_by_organization',
  'checkouts_by_organization',
  'orders_by_subscription',
  'benefit_grants_by_benefit',
  'subscriptions_by_product',
  'subscriptions_by_discount',
  'subscriptions_by_amount',
  'subscriptions_by_status',
  'subscriptions_by_period_end',
]

const orders = [
  create('orders_by_product', 'orders (organization_id, product_id, created_at, id)'),
  create('orders_by_net_amount', 'orders (organization_id, net_amount, created_at, id)'),
  create('orders_with_discount', 'orders (organization_id, discount_id, created_at, id) where discount_id is not null'),
  create('orders_with_subscription', 'orders (organization_id, subscription_id, created_at, id) where subscription_id is not null'),
  create('orders_with_metadata', `orders using gin (metadata jsonb_path_ops) where metadata <> '{}'`),
]

const subscriptions = [
  create('subscriptions_by_product_started', 'subscriptions (organization_id, product_id, started_at, id) where started_at is not null'),
  create('subscriptions_with_discount', 'subscriptions (organization_id, discount_id, started_at, id) where discount_id is not null'),
  create('subscriptions_by_amount_started', 'subscriptions (organization_id, amount, started_at, id) where started_at is not null'),
  create('subscriptions_by_status_started', 'subscriptions (organization_id, status, started_at, id) where started_at is not null'),
  create(
    'subscriptions_by_activity',
    `subscriptions (organization_id, (status in ('trialing', 'active')), started_at, id)
    where started_at is not null`,
  ),
  create(
    'subscriptions_by_end_of_period',
    `subscriptions (organization_id, current_period_end, started_at, id)
    where started_at is not null`,
  ),
  create('subscriptions_with_metadata', `subscriptions using gin (metadata jsonb_path_ops) where metadata <> '{}'`),
]

const customers = [
  create('customers_by_time', 'customers (organization_id, created_at, id) where deleted_at is null'),
  create('customers_by_name', 'customers (organization_id, name, created_at, id) where deleted_at is null and name is not null'),
  // Includes deleted rows: orders and subscriptions are sorted by this column.
  create('customers_by_address', 'customers (organization_id, lower(email))'),
  create('customers_with_metadata', `customers using gin (metadata jsonb_path_ops) where metadata <> '{}'`),
]

const checkouts = [
  create('checkouts_by_time', 'checkouts (organization_id, created_at, id)'),
  create('checkouts_by_expiry', 'checkouts (organization_id, expires_at, created_at, id)'),
  create('checkouts_by_status', 'checkouts (organization_id, status, created_at, id)'),
  create('checkouts_by_product', 'checkouts (organization_id, product_id, created_at, id)'),
  create('checkouts_by_customer', 'checkouts (customer_id, created_at, id) where customer_id is not null'),
]

const refunds = [
  create('refunds_by_amount', 'refunds (organization_id, amount, created_at, id)'),
  create('refunds_succeeded', `refunds (organization_id, created_at, id) where status = 'succeeded'`),
]

const benefits = [
  create('benefits_by_type', 'benefits (organization_id, type, created_at, id) where deleted_at is null'),
  create('benefits_with_metadata', `benefits using gin (metadata jsonb_path_ops) where metadata <> '{}'`),
  create('benefit_grants_of_benefit', 'benefit_grants (organization_id, benefit_id, created_at, id)'),
  create('benefit_grants_of_benefit_granted', `benefit_grants (organization_id, benefit_id, (granted_at is not null), created_at, id)`),
]

const catalogue = [
  create('products_by_time', 'products (organization_id, created_at, id)'),
  create('products_by_name', 'products (organization_id, name, created_at, id)'),
  create('products_by_archived', 'products (organization_id, is_archived, created_at, id)'),
  create('products_by_recurrence', 'products (organization_id, (recurring_interval is not null), created_at, id)'),
  create('products_with_metadata', `products using gin (metadata jsonb_path_ops) where metadata <> '{}'`),
  create('product_prices_by_amount', 'product_prices (organization_id, price_amount, product_id) where not is_archived'),
  create('product_prices_by_type', 'product_prices (organization_id, amount_type, product_id) where not is_archived'),
  create('discounts_by_time', 'discounts (organization_id, created_at, id) where deleted_at is null'),
  // Includes deleted rows: orders and subscriptions are sorted by this column.
  create('discounts_by_name', 'discounts (organization_id, name, created_at, id)'),
  create('discounts_with_code', 'discounts (organization_id, code, created_at, id) where deleted_at is null and code is not null'),
  create('discounts_by_redemptions', 'discounts (organization_id, redemptions_count, created_at, id) where deleted_at is null'),
]

export const indexLists = migration('20261121070000-index-lists', [
  ...orders,
  ...subscriptions,
  ...customers,
  ...checkouts,
  ...refunds,
  ...benefits,
  ...catalogue,
  ...replaced.map((name) => `drop index ${name}`),
])
