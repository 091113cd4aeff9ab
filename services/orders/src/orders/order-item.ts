import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

/** A line of an order. Its amount is before discount and tax; its shares of both are stored beside it, in minor units. */
export const OrderItemSchema = defineEntity({
  name: 'OrderItem',
  tableName: 'order_items',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    orderId: p.uuid(),
    position: p.integer(),
    label: p.text(),
    amount: p.bigint('bigint'),
    discountAmount: p.bigint('bigint'),
    taxAmount: p.bigint('bigint'),
    quantity: p.integer(),
    /** Its tax among those of the order: 1 for the first, 0 for none; null if release 0.1.0 placed the order. */
    taxPosition: p.integer().nullable(),
    proration: p.boolean(),
    productPriceId: p.uuid().nullable(),
  },
  filters: organizationFilter,
})
export class OrderItem extends OrderItemSchema.class {}
OrderItemSchema.setClass(OrderItem)
