import { customerStateChanged } from '@quittance/contracts/customer-state'
import type { Transaction } from '@quittance/runtime/handler'
import { customerStateAsDeletedView } from './customer-state-view.ts'

/** Tells what a customer has now. Comes last, after the events that say what changed. */
export async function tellCustomerState({ read, publish }: Transaction, customerId: string): Promise<void> {
  const state = await read.one(customerStateAsDeletedView, { where: 'c.id = :id', values: { id: customerId } })
  const { organization_id: organizationId } = JSON.parse(state) as { organization_id: string }
  publish({ event: customerStateChanged, aggregateId: customerId, organizationId, payload: state })
}
