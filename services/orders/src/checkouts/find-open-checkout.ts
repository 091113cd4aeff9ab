import { LockMode } from '@mikro-orm/core'
import type { CommandContext } from '@quittance/runtime/handler'
import { Checkout } from './checkout.ts'

/** The checkout whose client secret this is, locked, and the transaction bound to its organization. Throws when it is not open. */
export async function findOpenCheckout({ em, now, actFor }: CommandContext, clientSecret: string): Promise<Checkout> {
  const options = { filters: { organization: false }, lockMode: LockMode.PESSIMISTIC_WRITE } as const
  const checkout = await em.findOneOrFail(Checkout, { clientSecret }, options)
  actFor(checkout.organizationId)
  checkout.refuseUnlessOpen(now)
  return checkout
}
