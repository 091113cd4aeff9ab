/** Sellers of any size that differ only in the number of their orders: written into the tables, because checkouts would take hours. */
import { Client } from 'pg'
import { idFunction } from '../volume.ts'

export interface Seller {
  organizationId: string
  /** Distinguishes the ids of sellers. */
  kind: string
  orders: number
}

const products = 100
const discounts = 20
const ordersPerCustomer = 50

/** Every tenth product is recurring, every tenth order has a discount, every hundredth has metadata. */
const statements = ({ kind, orders }: Seller) => {
  const id = (of: string, n: string) => `pg_temp.id('${kind}-${of}', ${n})`
  const customers = Math.ceil(orders / ordersPerCustomer)
  return [
    `insert into products (id, created_at, organization_id, name, recurring_interval)
      select ${id('product', 'n')}, now(), $1, 'Reading room ' || n, case when n % 10 = 0 then 'month' end from generate_series(1, ${products}) n`,
    `insert into product_prices (id, created_at, organization_id, product_id, amount_type, price_amount, price_currency)
      select ${id('price', 'n')}, now(), $1, ${id('product', 'n')}, 'fixed', 4900, 'usd' from generate_series(1, ${products}) n`,
    `insert into discounts (id, created_at, organization_id, name, type, duration, basis_points)
      select ${id('discount', 'n')}, now(), $1, 'Members ' || n, 'percentage', 'once', 1000 from generate_series(1, ${discounts}) n`,
    `insert into customers (id, created_at, organization_id, email, name)
      select ${id('customer', 'n')}, now() - n * interval '1 minute', $1, 'customer-' || n || '@example.com', 'Customer ' || n
      from generate_series(1, ${customers}) n`,
    `insert into orders (id, created_at, organization_id, status, billing_reason, currency, subtotal_amount, discount_amount, net_amount,
        tax_amount, total_amount, customer_id, product_id, discount_id, metadata, paid_at)
      select ${id('order', 'n')}, now() - n * interval '1 minute', $1, 'paid', 'purchase', 'usd', 4900 + n % 1000, 0, 4900 + n % 1000,
        0, 4900 + n % 1000, ${id('customer', `1 + n % ${customers}`)}, ${id('product', `1 + n % ${products}`)},
        case when n % 10 = 0 then ${id('discount', `1 + n % ${discounts}`)} end,
        case when n % 100 = 0 then jsonb_build_object('campaign', 'c' || n % 5000) else '{}' end, now()
      from generate_series(1, ${orders}) n`,
    `insert into order_items (id, created_at, organization_id, order_id, position, label, amount, tax_amount, proration, product_price_id)
      select ${id('line', 'n')}, now(), $1, ${id('order', 'n')}, 0, 'Reading room', 4900 + n % 1000, 0, false, ${id('price', `1 + n % ${products}`)}
      from generate_series(1, ${orders}) n`,
  ]
}

/** Creates the orders of each seller. */
export async function makeSellers(ordersDatabaseUrl: string, sellers: readonly Seller[]): Promise<void> {
  const client = new Client({ connectionString: ordersDatabaseUrl })
  await client.connect()
  try {
    await client.query(idFunction)
    for (const seller of sellers) {
      // In one transaction: an order is complete with its lines.
      await client.query('begin')
      for (const statement of statements(seller)) {
        await client.query(statement, statement.includes('$1') ? [seller.organizationId] : [])
      }
      await client.query('commit')
    }
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

/** Returns ids to filter the orders of a seller by. */
export async function readSample(
  ordersDatabaseUrl: string,
  kind: string,
): Promise<{ product: string; customer: string; discount: string }> {
  const client = new Client({ connectionString: ordersDatabaseUrl })
  await client.connect()
  try {
    await client.query(idFunction)
    const ids = ['product', 'customer', 'discount'].map((of) => `pg_temp.id('${kind}-${of}', 1) as ${of}`)
    const { rows } = await client.query(`select ${ids.join(', ')}`)
    return rows[0]
  } finally {
    await client.end()
  }
}
