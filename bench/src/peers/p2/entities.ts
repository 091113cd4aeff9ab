/** The tables of the peers as entities. Property names equal the column names, because they are the names in the reply. */
import { randomUUID } from 'node:crypto'
import { defineEntity, p } from '@mikro-orm/core'

const aggregate = {
  id: p.uuid().primary(),
  organization_id: p.uuid(),
  created_at: p.datetime(),
  modified_at: p.datetime().nullable(),
  metadata: p.json<Record<string, string>>(),
}

export const ProductEntity = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    ...aggregate,
    name: p.text(),
    description: p.text().nullable(),
    recurring_interval: p.text().nullable(),
    is_archived: p.boolean(),
    price_amount: p.bigint('number'),
    price_currency: p.text(),
  },
})

export const CustomerEntity = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  properties: {
    ...aggregate,
    external_id: p.text().nullable(),
    email: p.text(),
    email_verified: p.boolean(),
    name: p.text().nullable(),
    avatar_url: p.text().nullable(),
    billing_address: p.json<Record<string, string | null>>().nullable(),
    tax_id: p.text().nullable(),
    deleted_at: p.datetime().nullable(),
  },
})

export const OrderItemEntity = defineEntity({
  name: 'OrderItem',
  tableName: 'order_items',
  properties: {
    id: p.uuid().primary(),
    order: () => p.manyToOne(OrderEntity).joinColumn('order_id').hidden(),
    order_id: p.uuid().persist(false),
    position: p.integer(),
    created_at: p.datetime(),
    modified_at: p.datetime().nullable(),
    label: p.text(),
    amount: p.bigint('number'),
    tax_amount: p.bigint('number'),
    proration: p.boolean(),
    sku: p.text(),
    note: p.text().nullable(),
  },
})

export const OrderEntity = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    ...aggregate,
    status: p.text(),
    billing_reason: p.text(),
    currency: p.text(),
    subtotal_amount: p.bigint('number'),
    discount_amount: p.bigint('number'),
    net_amount: p.bigint('number'),
    tax_amount: p.bigint('number'),
    total_amount: p.bigint('number'),
    refunded_amount: p.bigint('number'),
    refunded_tax_amount: p.bigint('number'),
    billing_name: p.text().nullable(),
    billing_address: p.json<Record<string, string | null>>().nullable(),
    is_invoice_generated: p.boolean(),
    customer_id: p.uuid().persist(false),
    product_id: p.uuid().persist(false),
    checkout_id: p.uuid().nullable(),
    customer: () => p.manyToOne(CustomerEntity).joinColumn('customer_id'),
    product: () => p.manyToOne(ProductEntity).joinColumn('product_id'),
    items: () => p.oneToMany(OrderItemEntity).mappedBy('order').orderBy({ position: 'asc' }),
  },
})

export const OutboxEntity = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    position: p.bigint('number').primary().autoincrement(),
    id: p.uuid().onCreate(() => randomUUID()),
    subject: p.text(),
    payload: p.text(),
    published_at: p.datetime().nullable(),
  },
})

export const IdempotentReplyEntity = defineEntity({
  name: 'IdempotentReply',
  tableName: 'idempotent_replies',
  properties: {
    key_hash: p.text().primary(),
    request_hash: p.text(),
    reply: p.text(),
    created_at: p.datetime().onCreate(() => new Date()),
  },
})
