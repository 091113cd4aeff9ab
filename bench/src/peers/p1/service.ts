/** Process: handles `‹name›.order.get`, `‹name›.order.list` and `‹name›.customer.create`; PostgreSQL writes the JSON. */
import { connect, headers } from 'nats'
import { Pool } from 'pg'
import { createCustomer, relay, type CreateCustomer } from './create-customer.ts'
import { reportReady, setting } from './process.ts'

/** The object of our contract with all deprecated names: referenced rows are joined, and the price is in the order's own row. */
const order = `o.id, o.created_at, o.modified_at, o.status, o.status <> 'pending' as paid, o.subtotal_amount, o.discount_amount, o.net_amount,
      o.net_amount as amount, o.tax_amount, o.taxes, o.tax_behavior, o.total_amount, o.refunded_amount, o.refunded_tax_amount, o.currency,
      o.billing_reason, o.billing_name, o.billing_address, o.is_invoice_generated, o.invoice_number, null as receipt_number, p.name as description,
      0 as applied_balance_amount, 0 as from_balance_amount, o.total_amount as due_amount, 0 as platform_fee_amount, null as platform_fee_currency,
      o.net_amount - o.refunded_amount as refundable_amount, o.tax_amount - o.refunded_tax_amount as refundable_tax_amount, o.customer_id, o.product_id, o.discount_id,
      o.subscription_id, o.checkout_id, o.customer_id as user_id, o.withdrawal_until, o.voided_at, o.product_price_id, row_to_json(pp) as product_price,
      coalesce((select json_agg(row_to_json(x)) from (
        select i.id, i.created_at, i.modified_at, i.label, i.amount, i.discount_amount, i.tax_amount, i.proration, i.product_price_id
        from order_items i where i.order_id = o.id order by i.position) x), '[]'::json) as items,
      o.metadata, '{}'::json as custom_field_data, row_to_json(s) as subscription, row_to_json(c) as customer, row_to_json(p) as product,
      row_to_json(d) as discount`

const joins = `join customers c on c.id = o.customer_id join products p on p.id = o.product_id
    left join product_prices pp on pp.id = o.product_price_id left join subscriptions s on s.id = o.subscription_id
    left join discounts d on d.id = o.discount_id`

const getOrder = {
  name: 'get-order',
  text: `select row_to_json(v)::text as json from (
    select ${order}
    from orders o ${joins}
    where o.id = $1 and o.organization_id = $2) v`,
}

/**
 * Lists the newest orders first, without a total: counting ten thousand rows at each request would make the peer easy to beat. So would one
 * plan for any number of skipped rows, which PostgreSQL considers so bad that it plans again each time.
 */
const listOrders = ({ limit, skip }: { limit: number; skip: number }) => ({
  name: `list-orders-${limit}-${skip}`,
  text: `select json_build_object('items', coalesce(json_agg(row_to_json(v)), '[]'::json))::text as json from (
    select ${order}
    from (select * from orders where organization_id = $1 order by created_at desc, id desc limit ${limit} offset ${skip}) o
    ${joins}
    order by o.created_at desc, o.id desc) v`,
})

const pool = new Pool({ connectionString: setting('DATABASE_URL'), max: 10 })
// A connection that breaks while idle is replaced when the next one is needed.
pool.on('error', () => {})
const connection = await connect({ servers: setting('NATS_SERVER'), user: 'w0', pass: 'w0', name: setting('NAME'), noAsyncTraces: true })

const notFound = headers()
notFound.set('status', '404')
const failed = headers()
failed.set('status', '500')

/** Replies with the JSON of the first row. */
function handleSubject(subject: string, handle: (request: never) => Promise<string | undefined>): void {
  connection.subscribe(`${setting('NAME')}.${subject}`, {
    queue: setting('NAME'),
    callback(error, message) {
      if (error) return
      handle(JSON.parse(message.string()) as never).then(
        (json) => (json ? message.respond(json) : message.respond('{"error":"NotFound"}', { headers: notFound })),
        () => message.respond('{"error":"InternalError"}', { headers: failed }),
      )
    },
  })
}

interface OrganizationRequest {
  organization_id: string
}

async function queryJson(statement: { name: string; text: string }, values: unknown[]): Promise<string | undefined> {
  const { rows } = await pool.query<{ json: string }>({ ...statement, values })
  return rows[0]?.json
}

handleSubject('order.get', ({ id, organization_id }: OrganizationRequest & { id: string }) => queryJson(getOrder, [id, organization_id]))
handleSubject('order.list', ({ organization_id, limit, page }: OrganizationRequest & { limit: number; page: number }) =>
  queryJson(listOrders({ limit, skip: (page - 1) * limit }), [organization_id]),
)
handleSubject('customer.create', (request: CreateCustomer) => createCustomer(pool, request))
const prefix = `${setting('NAME')}-event`
const manager = await connection.jetstreamManager()
await manager.streams.add({ name: `peer-${setting('NAME')}`, subjects: [`${prefix}.>`] })
relay(pool, { jetstream: connection.jetstream(), prefix })
await connection.flush()
reportReady()
