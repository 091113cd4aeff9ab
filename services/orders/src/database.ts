import type { DatabaseDefinition } from '@quittance/runtime/database'
import { CheckoutSchema } from './checkouts/checkout.ts'
import { CustomerSchema } from './customers/customer.ts'
import { CustomerSessionSchema } from './customers/customer-session.ts'
import { DiscountSchema } from './discounts/discount.ts'
import { createOrders } from './migrations/20261120120000-create-orders.ts'
import { OrderSchema } from './orders/order.ts'
import { OrderItemSchema } from './orders/order-item.ts'
import { PaymentSchema } from './payments/payment.ts'
import { ProductSchema } from './products/product.ts'
import { ProductPriceSchema } from './products/product-price.ts'

export const database: DatabaseDefinition = {
  entities: [
    ProductSchema,
    ProductPriceSchema,
    DiscountSchema,
    CustomerSchema,
    CustomerSessionSchema,
    CheckoutSchema,
    OrderSchema,
    OrderItemSchema,
    PaymentSchema,
  ],
  migrations: [createOrders],
}
