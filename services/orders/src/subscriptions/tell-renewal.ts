import type { Transaction } from '@quittance/runtime/handler'
import { cycleBenefits } from '../benefits/entitlement.ts'
import { tellCustomerState } from '../customers/tell-customer-state.ts'
import type { Subscription } from './subscription.ts'

/** The order of a further period was paid: the benefits go on. */
export async function tellRenewal({ id, customerId }: Subscription, context: Transaction): Promise<void> {
  await cycleBenefits(context, id)
  await tellCustomerState(context, customerId)
}
