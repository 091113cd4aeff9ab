import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { checkDueRefundsJobName } from '../job-names.ts'
import { lockOrder } from '../orders/lock-order.ts'
import { Order } from '../orders/order.ts'
import { Payment } from '../payments/payment.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'
import type { SeenRefund } from '../providers/provider.ts'
import { splitGross } from '../pricing/split-gross.ts'
import { beforeRefundReserved } from './create-refund.ts'
import { newRefundState, Refund } from './refund.ts'

/** `later`: it cannot be recorded now; nothing was written. */
export type FoundRefund = 'recorded' | 'not_ours' | 'later'

const wakeOwn = `
  update refunds r set next_check_at = now(), version = r.version + 1 from payments p
  where r.id::text = :ours and p.id = r.payment_id and p.payment_account_id = :account and p.provider_payment = :payment
    and r.organization_id = any (:scope_organizations)
  returning r.id`

/**
 * Records a refund that an event is about and that no row has: one whose call had no answer yet, or one that was made in the dashboard of the
 * provider. The latter is reserved on its order like any other; the next check reads it and publishes it.
 */
export async function recordFoundRefund(
  context: Transaction,
  { account, seen }: { account: ProviderAccount; seen: SeenRefund },
): Promise<FoundRefund> {
  const { em, sql, wake } = context
  if (!seen.payment || !seen.money) return 'not_ours'
  wake(checkDueRefundsJobName)
  if (seen.ours !== null) {
    const own = await sql('refund.wake-own', wakeOwn, { ours: seen.ours, account: account.id, payment: seen.payment })
    return own.length > 0 ? 'recorded' : 'not_ours'
  }
  const known = await em.findOne(Payment, { paymentAccountId: account.id, providerPayment: seen.payment }, { disableIdentityMap: true })
  if (!known) return 'not_ours'
  // One that failed moved no money: without a row there is nothing to take back.
  if (seen.is === 'failed' || seen.is === 'canceled') return 'not_ours'
  if (seen.account !== account.providerAccount || seen.mode !== account.mode || seen.money.currency !== known.currency) {
    context.log.error({ payment_id: known.id, provider_refund: seen.theirs }, 'refund.not-recorded')
    return 'later'
  }
  const found = { orderId: known.orderId, paymentId: known.id, theirs: seen.theirs, gross: seen.money.amount }
  return known.appliedAt ? reserve(context, found) : recordReturnedSurplus(context, found)
}

/** All of a payment that no order needs was returned: it is not returned again. A refund of it that was not submitted yet is canceled. */
async function recordReturnedSurplus(context: Transaction, { orderId, paymentId, theirs, gross }: Reservation): Promise<FoundRefund> {
  const { em, now } = context
  const lockMode = LockMode.PESSIMISTIC_WRITE
  await em.findOneOrFail(Order, { id: orderId }, { lockMode })
  const payment = await em.findOneOrFail(Payment, { id: paymentId }, { lockMode })
  const refunds = await em.find(Refund, { paymentId, purpose: 'surplus', state: { $nin: ['failed', 'canceled'] } }, { lockMode })
  if (refunds.some(({ providerRefund }) => providerRefund === theirs)) return 'recorded'
  if (!payment.surplusAt || gross !== payment.capturedAmount || refunds.some(({ state }) => state !== 'created')) {
    context.log.error({ payment_id: paymentId, provider_refund: theirs }, 'refund.not-recorded')
    return 'later'
  }
  for (const refund of refunds)
    refund.apply({ ...refund.toProgress(), state: 'canceled', failureReason: 'Returned at the provider.' }, { now, nextCheckAt: null })
  await em.flush()
  em.create(Refund, {
    ...newRefundState,
    organizationId: payment.organizationId,
    orderId,
    paymentId,
    currency: payment.currency,
    purpose: 'surplus',
    reason: 'duplicate',
    amount: gross,
    taxAmount: 0n,
    comment: 'Made at the provider.',
    revokeBenefits: false,
    metadata: {},
    providerRefund: theirs,
    nextCheckAt: now,
  })
  return 'recorded'
}

interface Reservation {
  orderId: string
  paymentId: string
  theirs: string
  gross: bigint
}

/** Locks what the credit of the order depends on first: another event about the same refund waits, and then finds it. */
async function reserve(context: Transaction, { orderId, paymentId, theirs, gross }: Reservation): Promise<FoundRefund> {
  const { em, now, react } = context
  const order = await lockOrder(await em.findOneOrFail(Order, { id: orderId }, { disableIdentityMap: true }), context)
  if ((await em.count(Refund, { paymentId, providerRefund: theirs })) > 0) return 'recorded'
  const split = splitGross(order.toRefundable(), gross)
  if (!split) {
    context.log.error({ order_id: orderId, provider_refund: theirs }, 'refund.not-recorded')
    return 'later'
  }
  const { organizationId, subscriptionId, currency } = order
  if (subscriptionId)
    await react(beforeRefundReserved, { orderId, subscriptionId, amount: split.amount, made: { taxAmount: split.taxAmount } })
  order.reserveSplit(split)
  em.create(Refund, {
    ...newRefundState,
    organizationId,
    orderId,
    paymentId,
    currency,
    purpose: 'order',
    reason: 'other',
    ...split,
    comment: 'Made at the provider.',
    revokeBenefits: false,
    metadata: {},
    providerRefund: theirs,
    nextCheckAt: now,
  })
  return 'recorded'
}
