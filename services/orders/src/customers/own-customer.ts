import { customerOf, type Caller } from '@quittance/contracts/caller'
import { NotPermitted } from '@quittance/contracts/errors'

/** Id of the customer who asks. */
export function ownCustomer(caller: Caller): string {
  const id = customerOf(caller)
  if (!id) throw new NotPermitted('Only a customer can do this.')
  return id
}
