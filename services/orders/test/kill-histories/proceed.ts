import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { createRefund } from '@quittance/contracts/refunds'
import { call } from '@quittance/runtime/rpc-client'
import { ApiError } from '@quittance/contracts/errors'
import type { StripeShop } from '../stripe-shop.ts'
import type { PaymentRow } from './history-rows.ts'
import { getBuyer, type LiveHistory, type Script, type SentToken } from './live-history.ts'
import { register, storeMethods } from './live-setups.ts'

/** Does what buyer and seller do next, until the end of their script, or until this life does not continue it. */
export async function proceed(live: LiveHistory, script: Script): Promise<void> {
  const { shop, life } = script
  const { isStoredFirst, setups } = live.history
  try {
    if (setups.length > 0) live.customerId ??= await register(live, script)
    if (isStoredFirst && !(await storeMethods(live, script))) return
    live.checkout ??= await shop.orders.call(createCheckout, { products: [shop.shop.product.id] }, shop.shop.seller)
    const outcome = await pay(live, script)
    if (outcome !== 'unpaid' && outcome !== 'later') await refundAll(live, outcome.orderId, script)
    if (life.isOver || outcome === 'later' || (!isStoredFirst && !(await storeMethods(live, script)))) return
    if (!life.isOver) live.isDone = true
  } catch (error) {
    // A request that a dying process does not answer is sent again under its key to the next one.
    if (error instanceof ApiError && error.status < 500 && error.status !== 409) throw error
  }
}

type Outcome = { orderId: string } | 'unpaid' | 'later'

async function pay(live: LiveHistory, script: Script): Promise<Outcome> {
  const { rows, life, shop } = script
  if (live.unanswered) await confirm(live, live.unanswered, script)
  while (!life.isOver) {
    const payments = await rows.payments(live.checkout?.id ?? '')
    const last = payments.at(-1)
    if (last?.state === 'succeeded') return { orderId: last.order_id }
    const card = live.history.cards[payments.length]
    if (last && last.state !== 'failed') {
      if (!(await isMoved(live, last, script))) return 'later'
    } else if (card) {
      const token = shop.fake.buyer.createToken(shop.stripe.id, card)
      await confirm(live, { token, key: `confirm-${live.history.number}-${payments.length}` }, script)
    } else return 'unpaid'
  }
  return 'later'
}

async function confirm(live: LiveHistory, sent: SentToken, { shop, life }: Script): Promise<void> {
  live.unanswered = sent
  const { client_secret = '' } = live.checkout ?? {}
  const request = { client_secret, customer_email: getBuyer(live), confirmation_token_id: sent.token }
  const { connection } = shop.orders
  try {
    await call(connection, { operation: confirmCheckout, request, caller: { kind: 'anonymous' }, idempotencyKey: sent.key })
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error
  }
  if (!life.isOver) live.unanswered = null
}

/** The buyer or the bank acts. Returns whether the payment is in another state soon after. */
async function isMoved(
  live: LiveHistory,
  { id, state, provider_payment: theirs }: PaymentRow,
  { shop, rows, life }: Script,
): Promise<boolean> {
  if (theirs && act(shop, { theirs, isConfirmed: live.history.isConfirmed })) await rows.checkNow('payments', id)
  else if (state === 'requires_action') await rows.abandon(id)
  return rows.isSoon(async () => life.isOver || (await rows.stateOf(id)) !== state)
}

/** Returns whether the object of a payment changed by what a buyer or a bank did. */
export function act({ fake, stripe }: StripeShop, { theirs, isConfirmed }: { theirs: string; isConfirmed: boolean }): boolean {
  const status = fake.state(stripe.id).paymentIntents.get(theirs)?.status
  if (status === 'processing') fake.bank.settlePayment(stripe.id, theirs, isConfirmed ? null : 'insufficient_funds')
  else if (status === 'requires_action' && isConfirmed) fake.buyer.completeAction(stripe.id, theirs)
  else return false
  return true
}

async function refundAll(live: LiveHistory, order_id: string, { shop, life }: Script): Promise<void> {
  const { history } = live
  while (!life.isOver && live.refunded < history.refunds.length) {
    const number = live.refunded
    const request = { order_id, reason: 'other' as const, amount: history.refunds[number] ?? 1 }
    const idempotencyKey = `refund-${history.number}-${number}`
    const { connection } = shop.orders
    await call(connection, { operation: createRefund, request, caller: shop.shop.seller, idempotencyKey })
    if (life.isOver) return
    live.refunded += 1
    if (number === 0 && history.isReturned) returnRefund(shop, order_id)
  }
}

/** The bank returns a refund of an order after it was made. */
function returnRefund({ fake, stripe }: StripeShop, orderId: string): void {
  const { refunds } = fake.state(stripe.id)
  const made = [...refunds.values()].find(({ metadata, status }) => metadata?.['quittance_order'] === orderId && status === 'succeeded')
  if (made) fake.bank.settleRefund(stripe.id, made.id, 'failed')
}
