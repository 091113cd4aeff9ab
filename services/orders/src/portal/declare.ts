import { randomUUID } from 'node:crypto'
import { callerCustomerId, callerNetwork, callerProof } from '@quittance/contracts/caller'
import {
  declarationReceived,
  declareCancellation as cancellationContract,
  declareWithdrawal as withdrawalContract,
  type Declaration,
} from '@quittance/contracts/declarations'
import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import { RequestValidationError, TooManyRequests } from '@quittance/contracts/errors'
import type { ReplyOf, RequestOf } from '@quittance/contracts/operation'
import { command, job, type CommandContext } from '@quittance/runtime/handler'
import { sharedByCheckouts, sharedByCustomers } from '@quittance/sql/sql-runner'
import { assertOrganizationExists } from '../organizations/organization.ts'
import { changeSubscription } from '../subscriptions/lock-subscription.ts'
import { billableStatuses } from '../subscriptions/subscription-status.ts'
import { customerOrderView } from './customer-orders.ts'

type Request = RequestOf<typeof withdrawalContract> | RequestOf<typeof cancellationContract>
type Receipt = ReplyOf<typeof withdrawalContract>

/** Declarations of one address about one seller within a day: each sends a mail to it. Of a customer who is signed in, withdrawals of one order. */
const maxPerDay = 5
/**
 * Declarations of one network about one seller within an hour: the addresses that it types could be those of strangers. Those of a customer who
 * is proven, with the own address, are not counted.
 */
const maxPerHour = 20
const refundMs = 14 * 86_400_000

const count = `
  select count(*)::int as count from declarations
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(email) = lower(:email)
    and (:order_id::uuid is null or order_id = :order_id and is_verified) and ${sharedByCustomers} and created_at > now() - interval '1 day'`

const findNetworkLimit = `
  select ceil(extract(epoch from created_at + interval '1 hour' - now()))::int as retry_after from declarations
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and network = :network
    and ${sharedByCustomers} and created_at > now() - interval '1 hour'
  order by created_at desc offset ${maxPerHour - 1} limit 1`

const isOwnAddress = `
  select 1 from customers
  where id = :scope_customer and organization_id = any (:scope_organizations) and lower(email) = lower(:email) and ${sharedByCheckouts}`

// The address is part of the match: a number alone proves nothing.
const match = `
  select o.id as order_id, o.subscription_id, o.customer_id
  from orders o join customers c on c.id = o.customer_id and c.deleted_at is null
  where o.organization_id = :organization_id and o.organization_id = any (:scope_organizations)
    and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and (:scope_checkout::uuid is null or o.checkout_id = :scope_checkout) and lower(c.email) = lower(:email)
    and (o.id::text = lower(:reference) or o.subscription_id::text = lower(:reference) or o.invoice_number = :reference
      or :reference = any (o.replaced_invoice_numbers))
  order by o.created_at desc limit 1`

const insert = `
  insert into declarations (id, created_at, organization_id, kind, name, email, reference, ground, is_verified, customer_id, order_id,
    subscription_id, effect, refund_due_at, network)
  select :id::uuid, :created_at::timestamptz, :organization_id::uuid, :kind::text, :name::text, :email::text, :reference::text, :ground::text,
    :is_verified::boolean, :customer_id::uuid, :order_id::uuid, :subscription_id::uuid, :effect::text, :refund_due_at::timestamptz, :network::text
  where :organization_id::uuid = any (:scope_organizations) and (:scope_customer::uuid is null or :customer_id::uuid is null or :customer_id = :scope_customer)
    and ${sharedByCheckouts}`

/** The contract that a declaration is about; ids are null if none was found. */
interface Contract {
  order_id: string | null
  subscription_id: string | null
  customer_id: string | null
}

const unknownContract: Contract = { order_id: null, subscription_id: null, customer_id: null }

/**
 * Records a withdrawal, matched or not, late or not. Of a customer who is signed in and in time it ends the subscription; of others it ends
 * nothing: the seller decides.
 */
export const declareWithdrawal = command(withdrawalContract, async (request, context) => {
  const network = await prepare(request, context)
  const { caller, now } = context
  const order = caller.kind === 'customer' ? await requireOwnOrder(request.order_id ?? null, context) : null
  const contract = order ? toContract(order) : await findContract(request, context)
  const isInTime = order?.withdrawal_until ? now <= new Date(order.withdrawal_until) : false
  const effect = order && isInTime ? await endSubscription(contract, context) : 'none'
  return record(request, { kind: 'withdrawal', contract, effect, ground: null, isVerified: order !== null, network, context })
})

/**
 * Records a cancellation, matched or not. The subscription that its number and address name is cancelled at once, which the customer can take
 * back. One that is `incomplete` or `unpaid` has no paid period left and ends.
 */
export const declareCancellation = command(cancellationContract, async (request, context) => {
  const network = await prepare(request, context)
  const contract = await findContract(request, context)
  const effect = await cancelSubscription(contract, context)
  return record(request, {
    kind: 'cancellation',
    contract,
    effect,
    ground: request.ground,
    isVerified: callerProof(context.caller) !== null || (context.caller.kind === 'customer' && contract.order_id !== null),
    network,
    context,
  })
})

/**
 * Asserts that the declaration may be made: by a customer to the own seller, by anonymous callers to the seller that they name. Returns the
 * network that it is counted under; null for none.
 */
async function prepare(request: Request, context: CommandContext): Promise<string | null> {
  const { organization_id, email } = request
  const { caller, sql, lockNames, bindOrganization } = context
  if (caller.kind !== 'customer') {
    bindOrganization(organization_id)
    await assertOrganizationExists(sql, organization_id)
  } else if (caller.organization_id !== organization_id)
    throw RequestValidationError.field(['organization_id'], 'The session belongs to another organization.')
  const network = await findCountedNetwork(email, context)
  const counted = [email.toLowerCase(), ...(network === null ? [] : [network])]
  await lockNames(counted.map((name) => `declaration ${organization_id} ${name}`))
  // What others declare with the address of a customer must not use up the customer's own right.
  const order_id = caller.kind === 'customer' && 'order_id' in request ? (request.order_id ?? null) : null
  const [usage] = await sql<{ count: number }>('declaration.count', count, { organization_id, email, order_id })
  if (usage && usage.count >= maxPerDay) {
    throw new TooManyRequests('Too many declarations were made with this address today. The earlier ones were received.', 86_400)
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

async function requireOwnOrder(id: string | null, { read }: CommandContext): Promise<CustomerOrder> {
  if (id === null) throw RequestValidationError.field(['order_id'], 'Field required')
  return JSON.parse(await read.one(customerOrderView, { where: 'o.id = :id', values: { id } })) as CustomerOrder
}

function toContract({ id, subscription_id, customer_id }: CustomerOrder): Contract {
  return { order_id: id, subscription_id, customer_id }
}

async function findContract({ organization_id, email, reference }: Request, { sql, caller }: CommandContext): Promise<Contract> {
  // Anyone can type the address of a customer, and gets a session of the one purchase.
  const own = { ...unknownContract, customer_id: callerProof(caller) && callerCustomerId(caller) }
  if (!reference) return own
  const [found] = await sql<Contract>('declaration.match', match, { organization_id, email, reference: reference.trim() })
  return found ?? own
}

async function endSubscription({ subscription_id: id }: Contract, context: CommandContext): Promise<Declaration['effect']> {
  if (id === null) return 'none'
  let effect: Declaration['effect'] = 'none'
  await changeSubscription(id, context, (subscription, clock) => {
    if (subscription.endedAt) return
    subscription.revoke(clock.now)
    effect = 'subscription_ended'
  })
  return effect
}

async function cancelSubscription({ subscription_id: id }: Contract, context: CommandContext): Promise<Declaration['effect']> {
  if (id === null) return 'none'
  let effect: Declaration['effect'] = 'none'
  await changeSubscription(id, context, (subscription, clock) => {
    if (subscription.endedAt || subscription.cancelAtPeriodEnd) return
    // Without a paid period there is no end to wait for; a first payment that succeeds later is returned.
    if (billableStatuses.includes(subscription.status)) subscription.cancel(clock, {})
    else subscription.revoke(clock.now)
    effect = 'subscription_canceled'
  })
  return effect
}

interface Recorded {
  kind: Declaration['kind']
  ground: Declaration['ground']
  contract: Contract
  effect: Declaration['effect']
  isVerified: boolean
  network: string | null
  context: CommandContext
}

async function record({ organization_id, name, email, reference, locale }: Request, recorded: Recorded): Promise<Receipt> {
  const { kind, ground, contract, effect, isVerified, network, context } = recorded
  const { sql, now, publish } = context
  const receipt: Receipt = {
    id: randomUUID(),
    created_at: now.toISOString(),
    organization_id,
    kind,
    name,
    email,
    ground,
    reference: reference?.trim() || null,
  }
  const refund_due_at = kind === 'withdrawal' ? new Date(now.getTime() + refundMs).toISOString() : null
  await sql('declaration.insert', insert, {
    ...receipt,
    ...contract,
    is_verified: isVerified,
    effect,
    refund_due_at,
    network,
  })
  publish({
    event: declarationReceived,
    aggregateId: receipt.id,
    organizationId: organization_id,
    payload: { ...receipt, customer_id: contract.customer_id, locale: locale ?? null, effect, refund_due_at },
  })
  return receipt
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
