import { callerNetwork, callerProof } from '@quittance/contracts/caller'
import { TooManyRequests } from '@quittance/contracts/errors'
import { job, type CommandContext } from '@quittance/runtime/handler'
import { clientNetwork } from '@quittance/runtime/client-network'
import { sharedByCustomers } from '@quittance/sql/sql-runner'

/** Declines of one network and seller within an hour, after which its payments are not tried. */
const maxNetworkDeclines = 20

// The row is that of the decline whose end leaves one attempt. After five declines, payments in progress count too: attempts at the same time
// do not pass.
const findLimit = `
  with recent as (
    select a.created_at, coalesce(p.failure_reason, s.failure_reason) is not distinct from 'declined' as is_declined
    from payment_attempts a
      left join payments p on p.id = a.payment_id and p.organization_id = any (:scope_organizations)
      left join payment_setups s on s.id = a.payment_id and s.organization_id = any (:scope_organizations)
    where a.organization_id = :organization_id and a.organization_id = any (:scope_organizations)
      and ${sharedByCustomers} and a.network = :network and a.created_at > now() - interval '1 hour'
      and (coalesce(p.failure_reason, s.failure_reason) = 'declined' or (coalesce(p.is_open, s.state not in ('failed', 'succeeded')) and a.created_at > now() - interval '1 minute')))
  select ceil(extract(epoch from created_at + interval '1 hour' - now()))::int as retry_after
  from recent
  where is_declined or (select count(*) >= 5 from recent where is_declined)
  order by created_at desc offset ${maxNetworkDeclines - 1} limit 1`

/** The seller who is paid, and the address of the buyer if the seller has named it. */
interface Sale {
  organizationId: string
  customerIpAddress?: string | null | undefined
}

/** The network that an attempt is counted under; null if it is not known. */
function findNetwork({ customerIpAddress }: Sale, { caller }: CommandContext): string | null {
  // A seller that confirms on its own server names the buyer.
  if (customerIpAddress) return clientNetwork(customerIpAddress)
  // The portal of a seller sends the requests of all its customers.
  return callerProof(caller) === 'seller' ? null : callerNetwork(caller)
}

/** Throws if too many payments of this network were declined: cards are tested with many checkouts and customers. */
export async function assertMayPay(sale: Sale, context: CommandContext): Promise<void> {
  const network = findNetwork(sale, context)
  if (network === null) return
  const address = { organization_id: sale.organizationId, network }
  const [limit] = await context.sql<{ retry_after: number }>('payment-attempt.find-limit', findLimit, address)
  if (limit)
    throw new TooManyRequests('Too many payments from this network were declined. Try again later.', Math.max(1, limit.retry_after))
}

const insert = `
  insert into payment_attempts (payment_id, organization_id, network)
  select :payment_id::uuid, :organization_id::uuid, :network::text
  where :organization_id::uuid = any (:scope_organizations) and ${sharedByCustomers}`

/** Keeps for an hour which network a payment or setup was started from. */
export async function recordAttempt(sale: Sale, { paymentId, context }: { paymentId: string; context: CommandContext }): Promise<void> {
  const network = findNetwork(sale, context)
  if (network === null) return
  const { em, sql } = context
  await em.flush()
  await sql('payment-attempt.insert', insert, { payment_id: paymentId, organization_id: sale.organizationId, network })
}

const batch = 1_000

const sweep = `
  delete from payment_attempts where payment_id = any(array(
    select payment_id from payment_attempts where created_at < now() - interval '1 hour' order by created_at limit ${batch} for update skip locked))
  returning 1`

/** Deletes networks an hour after their payments. */
export const sweepPaymentAttempts = job({
  name: 'sweep-payment-attempts',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('payment-attempts.sweep', sweep)).length === batch
  },
})
