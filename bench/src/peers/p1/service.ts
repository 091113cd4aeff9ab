/** Process: answers `‹name›.order.get` with one named prepared statement; PostgreSQL writes the JSON. */
import { connect, headers } from 'nats'
import { Pool } from 'pg'
import { announce, setting } from './process.ts'

const getOrder = {
  name: 'get-order',
  text: `select row_to_json(v)::text as json from (
    select o.id, o.organization_id, o.created_at, o.modified_at, o.status, o.billing_reason, o.currency, o.subtotal_amount,
      o.discount_amount, o.net_amount, o.tax_amount, o.total_amount, o.refunded_amount, o.refunded_tax_amount, o.billing_name,
      o.billing_address, o.is_invoice_generated, o.customer_id, o.product_id, o.checkout_id, o.metadata,
      row_to_json(c) as customer, row_to_json(p) as product,
      coalesce((select json_agg(row_to_json(i) order by i.position) from order_items i where i.order_id = o.id), '[]'::json) as items
    from orders o join customers c on c.id = o.customer_id join products p on p.id = o.product_id
    where o.id = $1 and o.organization_id = $2) v`,
}

const pool = new Pool({ connectionString: setting('DATABASE_URL'), max: 10 })
// A connection that breaks while idle is replaced when the next one is needed.
pool.on('error', () => {})
const connection = await connect({ servers: setting('NATS_SERVER'), user: 'w0', pass: 'w0', name: setting('NAME'), noAsyncTraces: true })

const notFound = headers()
notFound.set('status', '404')
const failed = headers()
failed.set('status', '500')

connection.subscribe(`${setting('NAME')}.order.get`, {
  queue: setting('NAME'),
  callback(error, message) {
    if (error) return
    const { id, organization_id: organizationId } = JSON.parse(message.string())
    pool.query<{ json: string }>({ ...getOrder, values: [id, organizationId] }).then(
      ({ rows: [row] }) => (row ? message.respond(row.json) : message.respond('{"error":"NotFound"}', { headers: notFound })),
      () => message.respond('{"error":"InternalError"}', { headers: failed }),
    )
  },
})
await connection.flush()
announce()
