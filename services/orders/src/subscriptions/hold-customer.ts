import { Conflict } from '@quittance/contracts/errors'
import type { Rows } from '@quittance/runtime/handler'

const hold = `select id from customers where id = :id and deleted_at is null for share`

/** Whoever deletes the customer waits, and then ends what begins here. */
export async function holdCustomer(rows: Rows, id: string): Promise<void> {
  const [customer] = await rows('subscription.hold-customer', hold, { id })
  if (!customer) throw new Conflict('The customer was deleted at the same time. Try again.')
}
