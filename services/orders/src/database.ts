import type { DatabaseDefinition } from '@quittance/runtime/database'
import { CheckoutSchema } from './checkouts/checkout.ts'
import { CustomerSessionSchema } from './customer-sessions/customer-session.ts'
import { CustomerSchema } from './customers/customer.ts'
import { DiscountSchema } from './discounts/discount.ts'
import { createOrders } from './migrations/20261120120000-create-orders.ts'
import { addCustomerPortal } from './migrations/20261120220000-add-customer-portal.ts'
import { createRefunds } from './migrations/20261120230000-create-refunds.ts'
import { deleteDiscounts } from './migrations/20261121010000-delete-discounts.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { OrderSchema } from './orders/order.ts'
import { OrderItemSchema } from './orders/order-item.ts'
import { PaymentSchema } from './payments/payment.ts'
import { ProductSchema } from './products/product.ts'
import { ProductPriceSchema } from './products/product-price.ts'
import { RefundSchema } from './refunds/refund.ts'

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
    RefundSchema,
  ],
  migrations: [createOrders, addCustomerPortal, createRefunds, keepIdempotentReplies, deleteDiscounts],
}
