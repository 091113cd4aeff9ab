import type { Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { lockCustomer } from '../customers/lock-customer.ts'
import { detachCustomerMethods } from '../payment-methods/detach-method.ts'
import { makeDefaultMethod, storeMethod } from '../payment-methods/stored-methods.ts'
import type { SettledRow } from '../payments/row-kind.ts'
import type { MethodDetails } from '../providers/provider.ts'
import type { PaymentSetup } from './payment-setup.ts'

/** The result of a setup. A setup that failed can still succeed later: then there is a second result. */
export interface SettledSetup {
  setup: PaymentSetup
  /** The method can be charged later; `setup.paymentMethodId` is set. */
  isStored: boolean
}

export const afterSetupSettled = reactionPoint<SettledSetup>('orders.payment-setup.settled')

/** What is locked before a setup. */
export interface LockedForSetup {
  /** Null if the customer was deleted. */
  activeCustomerId: string | null
}

const concerned = `select customer_id from payment_setups where id = :id and organization_id = any (:scope_organizations)`

/** Locks the customer, whose methods a settled setup changes, before the caller locks the setup. */
export async function lockForSetup({ sql }: Transaction, setupId: string): Promise<LockedForSetup> {
  const [row] = await sql<{ customer_id: string }>('payment-setup.concerned', concerned, { id: setupId })
  if (!row) throw new Error(`Payment setup ${setupId} does not exist`)
  return { activeCustomerId: (await lockCustomer(sql, row.customer_id)) ? row.customer_id : null }
}

/** Stores a new progress with everything that follows from it. The caller has locked with `lockForSetup`. */
export async function settleSetup(context: Transaction, settled: SettledRow<PaymentSetup, LockedForSetup>): Promise<void> {
  const { locked, row: setup, progress, effects, nextCheckAt } = settled
  setup.apply(progress, { now: context.now, nextCheckAt })
  if (effects.length === 0) return
  const stored = effects.find((each) => each.effect === 'stored')
  if (stored?.method) setup.paymentMethodId = await keep(context, { setup, method: stored.method, ...locked })
  const isStored = stored !== undefined && setup.paymentMethodId !== null && locked.activeCustomerId !== null
  await context.react(afterSetupSettled, { setup, isStored })
}

interface StoredSetup extends LockedForSetup {
  setup: PaymentSetup
  method: MethodDetails
}

/** The provider has stored the method: that of a deleted customer is detached there, and published nowhere. */
async function keep(context: Transaction, { setup, method, activeCustomerId }: StoredSetup): Promise<string | null> {
  const { customerId, setDefault } = setup
  const id = await storeMethod(context.sql, { customerId, accountId: setup.paymentAccountId ?? null, method })
  if (id !== null && activeCustomerId === null) {
    await detachCustomerMethods(context, { customerId })
  } else if (id !== null && setDefault) {
    await makeDefaultMethod(context, { customerId, id })
  }
  return id
}
