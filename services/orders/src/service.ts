import type { Service } from '@quittance/runtime/service'
import { confirmCheckout } from './checkouts/confirm-checkout.ts'
import { createCheckout } from './checkouts/create-checkout.ts'
import { expireCheckouts } from './checkouts/expire-checkouts.ts'
import { getCheckout } from './checkouts/get-checkout.ts'
import { getCheckoutByClient } from './checkouts/get-checkout-by-client.ts'
import { listCheckouts } from './checkouts/list-checkouts.ts'
import { createCustomer } from './customers/create-customer.ts'
import { getCustomer } from './customers/get-customer.ts'
import { listCustomers } from './customers/list-customers.ts'
import { updateCustomer } from './customers/update-customer.ts'
import { database } from './database.ts'
import { createDiscount } from './discounts/create-discount.ts'
import { getDiscount } from './discounts/get-discount.ts'
import { listDiscounts } from './discounts/list-discounts.ts'
import { generateInvoice } from './orders/generate-invoice.ts'
import { getOrder } from './orders/get-order.ts'
import { listOrders } from './orders/list-orders.ts'
import { onInvoiceGenerated } from './orders/on-invoice-generated.ts'
import { updateOrder } from './orders/update-order.ts'
import { onOrganizationChanged } from './organizations/on-organization-changed.ts'
import { settleDuePayments } from './payments/settle-due-payments.ts'
import { createProduct } from './products/create-product.ts'
import { getProduct } from './products/get-product.ts'
import { listProducts } from './products/list-products.ts'
import { updateProduct } from './products/update-product.ts'

/** Products, customers, checkouts and the orders that come of them. */
export const orders: Service = {
  name: 'orders',
  database,
  handlers: [
    ...[createProduct, getProduct, listProducts, updateProduct],
    ...[createDiscount, getDiscount, listDiscounts],
    ...[createCustomer, getCustomer, listCustomers, updateCustomer],
    ...[createCheckout, getCheckout, listCheckouts, getCheckoutByClient, confirmCheckout],
    ...[getOrder, listOrders, updateOrder, generateInvoice],
  ],
  consumers: [onOrganizationChanged, onInvoiceGenerated],
  jobs: [settleDuePayments, expireCheckouts],
}
