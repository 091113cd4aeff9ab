import { randomUUID } from 'node:crypto'
import { callerCustomerId, callerProof } from '@quittance/contracts/caller'
import {
  declarationReceived,
  declareCancellation as cancellationContract,
  declareWithdrawal as withdrawalContract,
  type Declaration,
} from '@quittance/contracts/declarations'
import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { ReplyOf, RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { sharedByCheckouts } from '@quittance/sql/sql-runner'
import { assertOrganizationExists } from '../organizations/organization.ts'
import { changeSubscription } from '../subscriptions/lock-subscription.ts'
import { billableStatuses } from '../subscriptions/subscription-status.ts'
import { countDeclaration, type Contract } from './count-declarations.ts'
import { customerOrderView } from './customer-orders.ts'

type Request = RequestOf<typeof withdrawalContract> | RequestOf<typeof cancellationContract>
type Receipt = ReplyOf<typeof withdrawalContract>

const refundMs = 14 * 86_400_000

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

const unknownContract: Contract = { order_id: null, subscription_id: null, customer_id: null }

/**
 * Records a withdrawal, matched or not, late or not. Of a customer who is signed in and in time it ends the subscription; of others it ends
 * nothing: the seller decides.
 */
export const declareWithdrawal = command(withdrawalContract, async (request, context) => {
  const { caller, now } = context
  await assertSeller(request, context)
  const order = caller.kind === 'customer' ? await requireOwnOrder(request.order_id ?? null, context) : null
  const contract = order ? toContract(order) : await findContract(request, context)
  const network = await countDeclaration(request, { contract, isOwn: order !== null, context })
  const isInTime = order?.withdrawal_until ? now <= new Date(order.withdrawal_until) : false
  const effect = order && isInTime ? await endSubscription(contract, context) : 'none'
  return record(request, { kind: 'withdrawal', contract, effect, ground: null, isVerified: order !== null, network, context })
})

/**
 * Records a cancellation, matched or not. The subscription that its number and address name is cancelled at once, which the customer can take
 * back. One that is `incomplete` or `unpaid` has no paid period left and ends.
 */
export const declareCancellation = command(cancellationContract, async (request, context) => {
  await assertSeller(request, context)
  const contract = await findContract(request, context)
  const network = await countDeclaration(request, { contract, isOwn: false, context })
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

/** Asserts that the seller exists. A customer declares to the own seller, anonymous callers to the one that they name. */
async function assertSeller({ organization_id }: Request, { caller, sql, bindOrganization }: CommandContext): Promise<void> {
  if (caller.kind !== 'customer') {
    bindOrganization(organization_id)
    await assertOrganizationExists(sql, organization_id)
  } else if (caller.organization_id !== organization_id)
    throw RequestValidationError.field(['organization_id'], 'The session belongs to another organization.')
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
