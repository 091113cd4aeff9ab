/** Process: answers `‹name›.order.get`, `‹name›.order.list` and `‹name›.customer.create`; PostgreSQL writes the JSON. */
import { connect, headers } from 'nats'
import { Pool } from 'pg'
import { createCustomer, relay, type CreateCustomer } from './create-customer.ts'
import { announce, setting } from './process.ts'

const order = `o.id, o.organization_id, o.created_at, o.modified_at, o.status, o.billing_reason, o.currency, o.subtotal_amount,
      o.discount_amount, o.net_amount, o.tax_amount, o.total_amount, o.refunded_amount, o.refunded_tax_amount, o.billing_name,
      o.billing_address, o.is_invoice_generated, o.customer_id, o.product_id, o.checkout_id, o.metadata,
      row_to_json(c) as customer, row_to_json(p) as product,
      coalesce((select json_agg(row_to_json(i) order by i.position) from order_items i where i.order_id = o.id), '[]'::json) as items`

const getOrder = {
  name: 'get-order',
  text: `select row_to_json(v)::text as json from (
    select ${order}
    from orders o join customers c on c.id = o.customer_id join products p on p.id = o.product_id
    where o.id = $1 and o.organization_id = $2) v`,
}

/** The newest first. Without a total: counting ten thousand rows at each request would be an easy peer to beat. */
const listOrders = {
  name: 'list-orders',
  text: `select json_build_object('items', coalesce(json_agg(row_to_json(v)), '[]'::json))::text as json from (
    select ${order}
    from (select * from orders where organization_id = $1 order by created_at desc, id desc limit $2 offset $3) o
    join customers c on c.id = o.customer_id join products p on p.id = o.product_id
    order by o.created_at desc, o.id desc) v`,
}

const pool = new Pool({ connectionString: setting('DATABASE_URL'), max: 10 })
// A connection that breaks while idle is replaced when the next one is needed.
pool.on('error', () => {})
const connection = await connect({ servers: setting('NATS_SERVER'), user: 'w0', pass: 'w0', name: setting('NAME'), noAsyncTraces: true })

const notFound = headers()
notFound.set('status', '404')
const failed = headers()
failed.set('status', '500')

/** Answers with the JSON of the first row. */
function answer(subject: string, ask: (request: never) => Promise<string | undefined>): void {
  connection.subscribe(`${setting('NAME')}.${subject}`, {
    queue: setting('NAME'),
    callback(error, message) {
      if (error) return
      ask(JSON.parse(message.string()) as never).then(
        (json) => (json ? message.respond(json) : message.respond('{"error":"NotFound"}', { headers: notFound })),
        () => message.respond('{"error":"InternalError"}', { headers: failed }),
      )
    },
  })
}

interface Asked {
  organization_id: string
}

async function jsonOf(statement: { name: string; text: string }, values: unknown[]): Promise<string | undefined> {
  const { rows } = await pool.query<{ json: string }>({ ...statement, values })
  return rows[0]?.json
}

answer('order.get', ({ id, organization_id }: Asked & { id: string }) => jsonOf(getOrder, [id, organization_id]))
answer('order.list', ({ organization_id, limit, page }: Asked & { limit: number; page: number }) =>
  jsonOf(listOrders, [organization_id, limit, (page - 1) * limit]),
)
answer('customer.create', (request: CreateCustomer) => createCustomer(pool, request))
const eventSubject = `${setting('NAME')}-event.customer.created`
const manager = await connection.jetstreamManager()
await manager.streams.add({ name: `peer-${setting('NAME')}`, subjects: [eventSubject] })
relay(pool, { jetstream: connection.jetstream(), subject: eventSubject })
await connection.flush()
announce()
