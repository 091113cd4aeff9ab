/** Sales of the measured system, written into its tables: creating ten thousand through checkouts would take minutes. */
import { Client } from 'pg'
import { idFunction, volume } from '../volume.ts'
import type { Quittance } from './quittance.ts'

interface Batch {
  /** Distinguishes the ids of batches. */
  kind: string
  orders: number
  lines: number
}

const catalogue = `
  insert into products (id, created_at, organization_id, name, description, metadata)
    select pg_temp.id('product', n), now(), $1, 'Reading room ' || n, 'A seat by the window and every book of the house.', '{"shelf": "north"}'
    from generate_series(1, ${volume.products}) n`

const prices = `
  insert into product_prices (id, created_at, organization_id, product_id, amount_type, price_amount, price_currency)
    select pg_temp.id('price', n), now(), $1, pg_temp.id('product', n), 'fixed', 4900, 'usd'
    from generate_series(1, ${volume.products}) n`

const customers = `
  insert into customers (id, created_at, organization_id, email, name, billing_address, metadata)
    select pg_temp.id('customer', n), now(), $1, 'customer-' || n || '@example.com', 'Customer ' || n,
      '{"line1": "12 Analytical Row", "line2": null, "postal_code": "SW1Y 4JH", "city": "London", "state": null, "country": "GB"}', '{}'
    from generate_series(1, ${volume.customers}) n`

const orders = ({ kind, orders: count, lines }: Batch) => `
  insert into orders (id, created_at, organization_id, status, billing_reason, currency, subtotal_amount, discount_amount, net_amount,
      tax_amount, total_amount, billing_name, billing_address, customer_id, product_id, metadata, paid_at)
    select pg_temp.id('${kind}', n), now() - n * interval '1 minute', $1, 'paid', 'purchase', 'usd', 4900 * ${lines}, 0, 4900 * ${lines},
      0, 4900 * ${lines}, c.name, c.billing_address, c.id, pg_temp.id('product', 1 + n % ${volume.products}), '{}', now()
    from generate_series(1, ${count}) n join customers c on c.id = pg_temp.id('customer', 1 + n % ${volume.customers})`

const items = ({ kind, orders: count, lines }: Batch) => `
  insert into order_items (id, created_at, organization_id, order_id, position, label, amount, tax_amount, proration, product_price_id)
    select pg_temp.id('${kind}-line', n * ${lines} + line), now(), $1, pg_temp.id('${kind}', n), line,
      'Reading room, volume ' || line + 1, 4900, 0, false, pg_temp.id('price', 1 + n % ${volume.products})
    from generate_series(1, ${count}) n, generate_series(0, ${lines - 1}) line`

/** Creates the standard volume once and returns the ids of its orders. */
export function makeOrders(quittance: Quittance): Promise<string[]> {
  const batch = { kind: 'order', orders: volume.orders, lines: volume.linesPerOrder }
  return make(quittance, { batch, statements: [catalogue, prices, customers, orders(batch), items(batch)] })
}

/** Creates further paid orders with billing details, of each length once; call it after `makeOrders`. */
export function makeLongOrders(quittance: Quittance, size: { orders: number; lines: number }): Promise<string[]> {
  const batch = { kind: `long-${size.lines}`, ...size }
  return make(quittance, { batch, statements: [orders(batch), items(batch)] })
}

async function make({ ordersDatabaseUrl, organizationId }: Quittance, work: { batch: Batch; statements: string[] }): Promise<string[]> {
  const client = new Client({ connectionString: ordersDatabaseUrl })
  await client.connect()
  try {
    await client.query(idFunction)
    // In one transaction: an order is complete with its lines.
    await client.query('begin')
    for (const statement of work.statements) await client.query(statement, [organizationId])
    await client.query('commit')
    await client.query('vacuum analyze')
    const { rows } = await client.query<{ id: string }>(`select pg_temp.id('${work.batch.kind}', n) as id from generate_series(1, $1) n`, [
      work.batch.orders,
    ])
    return rows.map(({ id }) => id)
  } finally {
    await client.end()
  }
}
