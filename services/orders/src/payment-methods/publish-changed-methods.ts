import { paymentMethodUpdated, type ChangedPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import type { Transaction } from '@quittance/runtime/handler'
import type { View } from '@quittance/sql/view'
import { customerPaymentMethodView } from './list-payment-methods.ts'

/** A method that a statement changed: `changedMethod` is what the statement returns. */
export interface ChangedMethod {
  id: string
  organization_id: string
  customer_id: string
}

export const changedMethod = 'id, organization_id, customer_id'

const { reply: _, ...shown } = customerPaymentMethodView
const changedMethodView: View<ChangedPaymentMethod> = {
  ...shown,
  name: 'changed-payment-method',
  from: 'payment_methods m',
  columns: `${shown.columns}, m.status = 'detached' as is_detached`,
}

/** Publishes methods as they are now, as events of their customer. */
export async function publishChangedMethods(
  { read, publish }: Pick<Transaction, 'read' | 'publish'>,
  methods: readonly ChangedMethod[],
): Promise<void> {
  for (const { id, organization_id: organizationId, customer_id: aggregateId } of methods) {
    const payload = JSON.parse(await read.one(changedMethodView, { where: 'm.id = :id', values: { id } }))
    publish({ event: paymentMethodUpdated, aggregateId, organizationId, payload })
  }
}
