import type { FinishContext, Transaction } from '@quittance/runtime/handler'
import type { OrganizationClock } from '../organizations/organization.ts'
import { changeSubscription } from './lock-subscription.ts'
import type { Subscription } from './subscription.ts'

/** Ends a transaction that must leave nothing behind. */
class RolledBack<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('A preview is rolled back')
    this.result = result
  }
}

interface Previewed {
  transaction: Transaction
  clock: OrganizationClock
}

/** Computes something by the functions that change a subscription, in a transaction that is rolled back: nothing is stored, published or called. */
export async function computeAndRollBack<Result>(
  context: Pick<FinishContext, 'transaction'>,
  { organizationId, id }: { organizationId: string; id: string },
  compute: (subscription: Subscription, previewed: Previewed) => Promise<Result>,
): Promise<Result> {
  try {
    return await context.transaction(organizationId, async (transaction): Promise<never> => {
      throw new RolledBack(
        await changeSubscription(id, transaction, (subscription, clock) => compute(subscription, { transaction, clock })),
      )
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.result as Result
    throw error
  }
}
