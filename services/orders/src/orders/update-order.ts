import {
  updateOrder as updateOrderContract,
  orderUpdated,
  type BillingDetailsChange,
  type Order as OrderReply,
} from '@quittance/contracts/orders'
import { command, type Transaction } from '@quittance/runtime/handler'
import type { JsonText } from '@quittance/sql/view'
import { assertTaxFits } from './assert-tax-fits.ts'
import { Order } from './order.ts'
import { orderView } from './order-view.ts'

export const updateOrder = command(updateOrderContract, changeBillingDetails)

/** Changes the details printed on the invoice and publishes the change, for sellers and buyers alike. */
export async function changeBillingDetails(
  { id, ...details }: BillingDetailsChange,
  { em, sql, read, publish }: Transaction,
): Promise<JsonText<OrderReply>> {
  const order = await em.findOneOrFail(Order, id)
  const isFrozen = Boolean(order.invoiceRequestedAt)
  if (details.billing_address !== undefined && !isFrozen) await assertTaxFits(order, details.billing_address, { sql })
  order.changeBillingDetails(details)
  const view = await read.one(orderView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderUpdated, aggregateId: id, organizationId: order.organizationId, payload: view })
  return view
}
