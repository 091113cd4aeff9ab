import { callerNetwork, callerProof } from '@quittance/contracts/caller'
import { TooManyRequests } from '@quittance/contracts/errors'
import { job, type CommandContext } from '@quittance/runtime/handler'
import { sharedByCheckouts, sharedByCustomers } from '@quittance/sql/sql-runner'

/**
 * Declarations of one address about one seller within a day: each sends a mail to it. Those that name the id of one of its orders or subscriptions
 * are counted by order, so that a stranger who only knows the address does not use up the right of its owner; of a customer who is signed in, the
 * own withdrawals. Numbers of invoices can be guessed, so that they are counted like any other words.
 */
const maxPerDay = 5
/**
 * Declarations of one network about one seller within an hour: the addresses that it types could be those of strangers. Those of a customer who
 * is proven, with the own address, are not counted.
 */
const maxPerHour = 20

const count = `
  select count(*)::int as count from declarations
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(email) = lower(:email)
    and case when :order_id::uuid is not null then order_id = :order_id and (is_verified or not :is_own::boolean)
      else order_id is null or (not is_verified and lower(reference) is distinct from order_id::text and lower(reference) is distinct from subscription_id::text) end
    and ${sharedByCustomers} and created_at > now() - interval '1 day'`

const findNetworkLimit = `
  select ceil(extract(epoch from created_at + interval '1 hour' - now()))::int as retry_after from declarations
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and network = :network
    and ${sharedByCustomers} and created_at > now() - interval '1 hour'
  order by created_at desc offset ${maxPerHour - 1} limit 1`

const isOwnAddress = `
  select 1 from customers
  where id = :scope_customer and organization_id = any (:scope_organizations) and lower(email) = lower(:email) and ${sharedByCheckouts}`

/** The contract that a declaration is about; ids are null if none was found. */
export interface Contract {
  order_id: string | null
  subscription_id: string | null
  customer_id: string | null
}

interface Counted {
  contract: Contract
  /** By the signed-in customer, of the own order. */
  isOwn: boolean
  context: CommandContext
}

/** Asserts that the address and the network may declare again. Returns the network that the declaration is counted under; null for none. */
export async function countDeclaration(
  { organization_id, email, reference }: { organization_id: string; email: string; reference?: string | null | undefined },
  { contract, isOwn, context }: Counted,
): Promise<string | null> {
  const { sql, lockNames } = context
  const network = await findCountedNetwork(email, context)
  const counted = [email.toLowerCase(), ...(network === null ? [] : [network])]
  await lockNames(counted.map((name) => `declaration ${organization_id} ${name}`))
  const namesId = [contract.order_id, contract.subscription_id].includes((reference ?? '').trim().toLowerCase())
  const orderId = isOwn || namesId ? contract.order_id : null
  const [usage] = await sql<{ count: number }>('declaration.count', count, { organization_id, email, order_id: orderId, is_own: isOwn })
  if (usage && usage.count >= maxPerDay) {
    const received = 'Too many declarations were made with this address today. The earlier ones were received.'
    const detail = orderId ? received : `${received} Sign in, or name the id of your order or subscription.`
    throw new TooManyRequests(detail, 86_400)
  }
  if (network === null) return null
  const [limit] = await sql<{ retry_after: number }>('declaration.find-network-limit', findNetworkLimit, { organization_id, network })
  if (limit)
    throw new TooManyRequests('Too many declarations were made from this network. Try again later.', Math.max(1, limit.retry_after))
  return network
}

/** Returns the network that a declaration is counted under; null if it is not known, and for a proven customer with the own address. */
async function findCountedNetwork(email: string, { caller, sql }: CommandContext): Promise<string | null> {
  const network = callerNetwork(caller)
  if (network === null || callerProof(caller) === null) return network
  return (await sql('declaration.own-address', isOwnAddress, { email })).length > 0 ? null : network
}

const batch = 1_000

const forget = `
  update declarations set network = null where id = any(array(
    select id from declarations where network is not null and created_at < now() - interval '1 hour' order by created_at limit ${batch}
    for update skip locked))
  returning 1`

/** Forgets the networks of declarations after an hour. */
export const forgetDeclarationNetworks = job({
  name: 'forget-declaration-networks',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('declarations.forget-networks', forget)).length === batch
  },
})
