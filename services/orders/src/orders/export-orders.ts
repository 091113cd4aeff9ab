import { exportOrders as contract } from '@quittance/contracts/orders'
import { query } from '@quittance/runtime/handler'
import { asList, whereGiven } from '@quittance/runtime/list'
import type { View } from '@quittance/runtime/view'
import { csvLine } from './csv.ts'

/** Lines in a part: far from what a reply may hold, also with the longest names. */
const partSize = 500

const names = [
  'id',
  'created_at',
  'status',
  'billing_reason',
  'customer_email',
  'customer_name',
  'product',
  'currency',
  'subtotal_amount',
  'discount_amount',
  'net_amount',
  'tax_amount',
  'total_amount',
  'refunded_amount',
  'refunded_tax_amount',
  'billing_name',
  'billing_country',
] as const

type Line = Record<(typeof names)[number], string | number | null>

const exportView: View<Line> = {
  name: 'order-export',
  organization: 'o.organization_id',
  from: 'orders o join customers c on c.id = o.customer_id join products pr on pr.id = o.product_id',
  columns: `o.id, o.created_at, o.status, o.billing_reason, c.email as customer_email, c.name as customer_name, pr.name as product, o.currency,
    o.subtotal_amount, o.discount_amount, o.net_amount, o.tax_amount, o.total_amount, o.refunded_amount, o.refunded_tax_amount,
    o.billing_name, o.billing_address->>'country' as billing_country`,
}

export const exportOrders = query(contract, async ({ after, ...filters }, { read }) => {
  const [createdAt, id] = after?.split(' ') ?? []
  const given = whereGiven({
    organization_id: { sql: 'o.organization_id = any(:organization_id)', value: asList(filters.organization_id) },
    product_id: { sql: 'o.product_id = any(:product_id)', value: asList(filters.product_id) },
    customer_id: { sql: 'o.customer_id = any(:customer_id)', value: asList(filters.customer_id) },
    created_at: { sql: '(o.created_at, o.id) > (:created_at::timestamptz, :id::uuid)', value: createdAt },
  })
  const lines = JSON.parse(
    await read.first(exportView, { where: given.where, values: { ...given.values, id }, orderBy: 'o.created_at, o.id', limit: partSize }),
  ) as Line[]
  const last = lines.length === partSize ? lines.at(-1) : undefined
  const text = lines.map((line) => csvLine(names.map((name) => line[name]))).join('')
  return { text: after ? text : csvLine(names) + text, next: last ? `${last.created_at} ${last.id}` : null }
})
