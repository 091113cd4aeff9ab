import type Stripe from 'stripe'
import { buildRefund, readId } from './build-objects.ts'
import { buildBalanceTransaction, buildDispute } from './build-records.ts'
import { readText, readTexts, type FormParameters } from './form-body.ts'
import { createMissingError, createParameterError, StripeRejection, type Origin } from './stripe-state.ts'
import { testCards } from './test-cards.ts'

/** Creates a refund of a payment that succeeded. */
export function createRefund([world, account]: Origin, params: FormParameters): Stripe.Refund {
  const intentId = readText(params['payment_intent']) ?? ''
  const intent = account.paymentIntents.get(intentId)
  if (!intent) throw createMissingError('payment_intent', intentId, 'payment_intent')
  const charge = account.charges.get(readId(intent.latest_charge) ?? '')
  if (intent.status !== 'succeeded' || !charge)
    throw createParameterError('payment_intent', 'This payment has no successful charge to refund.')
  if (charge.disputed)
    throw new StripeRejection(
      400,
      { type: 'invalid_request_error', code: 'charge_disputed', message: 'The charge was charged back.' },
      true,
    )
  const left = charge.amount - charge.amount_refunded
  const amount = params['amount'] === undefined ? left : Number(readText(params['amount']))
  if (left === 0)
    throw new StripeRejection(400, { type: 'invalid_request_error', code: 'charge_already_refunded', message: 'Already refunded.' }, true)
  if (!Number.isInteger(amount) || amount < 1 || amount > left) {
    throw createParameterError('amount', `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`)
  }
  const isPending = testCards[account.cards.get(readId(intent.payment_method) ?? '') ?? '']?.isRefundPending === true
  const refund = buildRefund([world, account], {
    amount,
    currency: intent.currency,
    charge: charge.id,
    payment_intent: intent.id,
    metadata: readTexts(params['metadata']),
    reason: readText(params['reason']),
    status: isPending ? 'pending' : 'succeeded',
  })
  account.refunds.set(refund.id, refund)
  charge.amount_refunded += amount
  account.movements.push({ kind: 'refunded', amount, currency: intent.currency, intent: intent.id })
  world.publish(account, 'refund.created', refund)
  return refund
}

/** Completes a pending refund, or fails one, also one that had succeeded: the bank returns the money. */
export function settleRefund([world, account]: Origin, id: string, status: 'succeeded' | 'failed' | 'canceled'): void {
  const refund = account.refunds.get(id)
  if (!refund) throw new Error(`There is no refund ${id}`)
  refund.status = status
  if (status !== 'succeeded') {
    refund.failure_reason = 'lost_or_stolen_card'
    const charge = account.charges.get(readId(refund.charge) ?? '')
    if (charge) charge.amount_refunded -= refund.amount
    account.movements.push({
      kind: 'refund-failed',
      amount: refund.amount,
      currency: refund.currency,
      intent: readId(refund.payment_intent) ?? '',
    })
  }
  world.publish(account, 'refund.updated', refund)
  if (status === 'failed') world.publish(account, 'refund.failed', refund)
}

/** Opens a dispute about a charge and withdraws its money. */
export function openDispute([world, account]: Origin, charge: Stripe.Charge): Stripe.Dispute {
  const dispute = buildDispute([world, account], charge, 'fraudulent')
  account.disputes.set(dispute.id, dispute)
  charge.disputed = true
  world.publish(account, 'charge.dispute.created', dispute)
  dispute.balance_transactions = [buildBalanceTransaction([world, account], dispute, -1)]
  account.movements.push({
    kind: 'disputed',
    amount: dispute.amount,
    currency: dispute.currency,
    intent: readId(dispute.payment_intent) ?? '',
  })
  world.publish(account, 'charge.dispute.funds_withdrawn', dispute)
  return dispute
}

/** Closes a dispute; a won one returns the money. */
export function closeDispute([world, account]: Origin, id: string, status: 'won' | 'lost'): void {
  const dispute = account.disputes.get(id)
  if (!dispute) throw new Error(`There is no dispute ${id}`)
  dispute.status = status
  world.publish(account, 'charge.dispute.closed', dispute)
  if (status === 'lost') return
  dispute.balance_transactions.push(buildBalanceTransaction([world, account], dispute, 1))
  const { amount, currency } = dispute
  account.movements.push({ kind: 'dispute-reinstated', amount, currency, intent: readId(dispute.payment_intent) ?? '' })
  world.publish(account, 'charge.dispute.funds_reinstated', dispute)
}
