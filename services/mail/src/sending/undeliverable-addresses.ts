import type { JobContext } from '@quittance/runtime/handler'
import type { ClaimedMessage } from './claim-message.ts'

/** Reason of a mail that was not sent because of earlier rejections. */
export const undeliverableReason =
  'Mails to this address were rejected on two days. It is used again once the customer changes it, or a mail that is always sent arrives.'

const isAddress = `id = :customer_id and organization_id = :organization_id and email = :recipient::text`

// The first rejection stays: a server with a fault rejects every mail of one day.
const reject = `
  update customers set rejected_on = coalesce(rejected_on, current_date),
    undeliverable_since = case when rejected_on < current_date then coalesce(undeliverable_since, now()) end
  where ${isAddress} and undeliverable_since is null returning undeliverable_since is not null as is_undeliverable`

const accept = `
  update customers set rejected_on = null, undeliverable_since = null where ${isAddress} and rejected_on is not null`

const parameters = ({ customer_id, organization_id, recipient }: ClaimedMessage) => ({ customer_id, organization_id, recipient })

/** Records that the mail server rejected the address for good. Rejections on two days make it undeliverable; returns whether it is now. */
export async function recordRejectedAddress({ systemSql }: JobContext, claimed: ClaimedMessage): Promise<boolean> {
  const [marked] = await systemSql<{ is_undeliverable: boolean }>('customer.reject-address', reject, parameters(claimed))
  return marked?.is_undeliverable === true
}

/** Records that the mail server accepted a mail to the address. */
export async function recordAcceptedAddress({ systemSql }: JobContext, claimed: ClaimedMessage): Promise<void> {
  await systemSql('customer.accept-address', accept, parameters(claimed))
}
