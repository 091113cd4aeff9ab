import { callerCheckoutId, callerCustomerId, type Caller } from '@quittance/contracts/caller'
import { NotPermitted } from '@quittance/contracts/errors'

/** Returns the id of the calling customer. Throws `NotPermitted` for other callers. */
export function requireCustomerId(caller: Caller): string {
  const id = callerCustomerId(caller)
  if (!id) throw new NotPermitted('Only a customer can do this.')
  return id
}

/** The same for operations that change the customer: also throws `NotPermitted` if the session is bound to a checkout. */
export function requireUnboundCustomerId(caller: Caller): string {
  const id = requireCustomerId(caller)
  if (callerCheckoutId(caller)) throw new NotPermitted('This session is bound to a checkout. It cannot change the customer.')
  return id
}
