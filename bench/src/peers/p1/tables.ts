/** The database of the peer: the same amount of data as the measured system has, in tables a careful engineer would design. */
import { Client } from 'pg'
import { idFunction, volume } from '../../volume.ts'
import { writeTables } from './create-customer.ts'

const tables = [
  `create table products (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    name text not null,
    description text,
    recurring_interval text,
    is_archived boolean not null,
    price_amount bigint not null,
    price_currency text not null,
    metadata jsonb not null,
    recurring_interval_count integer,
    trial_interval text,
    trial_interval_count integer,
    visibility text not null default 'public',
    meter_interval text,
    meter_interval_count integer
  )`,
  `create table product_prices (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    is_archived boolean not null default false,
    product_id uuid not null references products (id),
    amount_type text not null,
    price_amount bigint,
    price_currency text not null,
    minimum_amount bigint,
    maximum_amount bigint,
    preset_amount bigint,
    tax_behavior text not null default 'exclusive',
    source text not null default 'catalog'
  )`,
  `create table discounts (id uuid primary key, created_at timestamptz not null, name text not null, code text, basis_points integer)`,
  `create table subscriptions (id uuid primary key, created_at timestamptz not null, status text not null, current_period_end timestamptz)`,
  `create table customers (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    external_id text,
    email text not null,
    email_verified boolean not null,
    name text,
    avatar_url text,
    billing_address jsonb,
    tax_id text,
    deleted_at timestamptz,
    metadata jsonb not null,
    type text not null default 'individual',
    billing_name text
  )`,
  `create table orders (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    status text not null,
    billing_reason text not null,
    currency text not null,
    subtotal_amount bigint not null,
    discount_amount bigint not null,
    net_amount bigint not null,
    tax_amount bigint not null,
    total_amount bigint not null,
    refunded_amount bigint not null,
    refunded_tax_amount bigint not null,
    billing_name text,
    billing_address jsonb,
    is_invoice_generated boolean not null,
    customer_id uuid not null references customers (id),
    product_id uuid not null references products (id),
    checkout_id uuid,
    metadata jsonb not null,
    taxes jsonb not null default '[]',
    tax_behavior text not null default 'exclusive',
    product_price_id uuid references product_prices (id),
    discount_id uuid references discounts (id),
    subscription_id uuid references subscriptions (id),
    invoice_number text not null default '',
    withdrawal_until timestamptz,
    voided_at timestamptz
  )`,
  `create index orders_by_organization on orders (organization_id, created_at, id)`,
  `create table order_items (
    id uuid primary key,
    order_id uuid not null references orders (id),
    position integer not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    label text not null,
    amount bigint not null,
    tax_amount bigint not null,
    proration boolean not null,
    sku text not null,
    note text,
    discount_amount bigint not null default 0,
    product_price_id uuid references product_prices (id),
    constraint order_items_position_unique unique (order_id, position)
  )`,
]

/** Makes the replies as long as those of the measured system, which contain deprecated names too. */
const note = 'Kept at the desk until the end of the month: ask for the volume by its shelf mark, from nine to six, on any day but Sunday.'

const rows = [
  `insert into products
    select pg_temp.id('product', n), $1, now(), null, 'Reading room ' || n, 'A seat by the window and every book of the house.', null,
      false, 4900, 'usd', '{"shelf": "north"}'
    from generate_series(1, ${volume.products}) n`,
  `insert into product_prices (id, created_at, product_id, amount_type, price_amount, price_currency)
    select pg_temp.id('price', n), now(), pg_temp.id('product', n), 'fixed', 4900, 'usd' from generate_series(1, ${volume.products}) n`,
  `insert into customers
    select pg_temp.id('customer', n), $1, now(), null, null, 'customer-' || n || '@example.com', false, 'Customer ' || n,
      'https://www.gravatar.com/avatar/' || encode(sha256(convert_to('customer-' || n, 'UTF8')), 'hex') || '?d=blank',
      '{"line1": "12 Analytical Row", "line2": null, "postal_code": "SW1Y 4JH", "city": "London", "state": null, "country": "GB"}',
      null, null, '{}'
    from generate_series(1, ${volume.customers}) n`,
  `insert into orders
    select pg_temp.id('order', n), $1, now() - n * interval '1 minute', null, 'paid', 'purchase', 'usd', 14700, 0, 14700, 0, 14700, 0, 0,
      c.name, c.billing_address, false, c.id, pg_temp.id('product', 1 + n % ${volume.products}), null, '{}', '[]', 'exclusive',
      pg_temp.id('price', 1 + n % ${volume.products})
    from generate_series(1, ${volume.orders}) n join customers c on c.id = pg_temp.id('customer', 1 + n % ${volume.customers})`,
  `insert into order_items
    select pg_temp.id('line', n * ${volume.linesPerOrder} + line), pg_temp.id('order', n), line, now(), null,
      'Reading room, volume ' || line + 1, 4900, 0, false, 'RR-' || lpad(line::text, 6, '0'), '${note}', 0,
      pg_temp.id('price', 1 + n % ${volume.products})
    from generate_series(1, ${volume.orders}) n, generate_series(0, ${volume.linesPerOrder - 1}) line`,
]

/** Creates and fills the database; returns the ids of its orders. */
export async function makeTables(url: string, organizationId: string): Promise<string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of [idFunction, ...tables, ...writeTables]) await client.query(statement)
    for (const statement of rows) await client.query(statement, statement.includes('$1') ? [organizationId] : [])
    await client.query('vacuum analyze')
    const { rows: ids } = await client.query<{ id: string }>('select id from orders')
    return ids.map(({ id }) => id)
  } finally {
    await client.end()
  }
}
