import type { Recorded } from '../../src/payments/record-answer.ts'
import { isTerminal } from '../../src/subscriptions/subscription-status.ts'
import type { Order } from '../../src/orders/order.ts'
import type { Subscription } from '../../src/subscriptions/subscription.ts'
import type { Dunning } from '../../src/organizations/dunning.ts'
import { needsOwedOrders } from '../../src/subscriptions/apply-payment-result.ts'
import { dayMs } from './simulated-objects.ts'
import type { Rules } from './rules.ts'
import { assertHolds, findStage, type PaymentRow, type RefundRow, type SimulatedStore } from './simulated-store.ts'

const maxReturns = 3

/** What a settlement changes. */
interface SettledHistory {
  store: SimulatedStore
  rules: Rules
  now: number
  subscriptions: ReadonlyMap<string | null | undefined, Subscription>
  readTerms(order: Order): string
  owed(subscription: Subscription): Order[]
  hasOpen(order: Order): boolean
  seller: { readonly dunning: Dunning }
  beginPeriod(subscription: Subscription): void
  change(subscription: Subscription, change: () => unknown): void
  getClock(): { now: Date; toReal(at: Date): Date }
  insertRefund(row: PaymentRow, values: Pick<RefundRow, 'amount' | 'taxAmount' | 'purpose'>): void
}

interface Settlement {
  row: PaymentRow
  recorded: Recorded
  nextCheckAt: Date | null
}

/** Stores the end of a payment with everything that follows, as `settle-payment.ts` does. */
export function settleSimulated(history: SettledHistory, { row, recorded, nextCheckAt }: Settlement): void {
  const { store, rules } = history
  const { payment, effects } = recorded
  if (payment.kind === 'setup') return settleSetup(history, { row, recorded, nextCheckAt })
  const captured = effects.find((each) => each.effect === 'captured')
  if (captured) {
    const terms = history.readTerms(row.order)
    const isApplied = rules.isNeeded({ status: row.order.status, terms }, row.terms)
    assertHolds(!isApplied || terms === row.terms, 'money pays an order with other terms')
    if (isApplied) closeOthers(history, row)
    store.capture(row, isApplied ? 'applied' : 'surplus', captured.received.amount)
    store.savePayment(row, payment, nextCheckAt)
    if (isApplied) settleOrder(history, row, true)
    else if (rules.returnsSurplus()) history.insertRefund(row, { amount: row.captured, taxAmount: 0n, purpose: 'surplus' })
    return
  }
  store.savePayment(row, payment, nextCheckAt)
  const isFailed = effects.some((each) => each.effect === 'failed')
  if (isFailed && row.order.status === 'pending' && !hasOther(history, row)) settleOrder(history, row, false)
}

/** Stores the end of a setup, as `settle-setup.ts` and `settle-checkout-setup.ts` do. */
function settleSetup(history: SettledHistory, { row, recorded, nextCheckAt }: Settlement): void {
  const { store, rules, seller } = history
  const { payment, effects } = recorded
  const isStored = effects.some(({ effect }) => effect === 'stored')
  if (isStored) store.storeMethod(row)
  store.savePayment(row, payment, nextCheckAt)
  const subscription = history.subscriptions.get(row.order.subscriptionId)
  if (effects.length === 0 || !subscription) return
  if (isStored && subscription.status === 'trialing') subscription.paymentMethodId = String(row.methodId)
  if (subscription.status !== 'incomplete') return
  const clock = history.getClock()
  if (rules.startsTrial({ isStored })) {
    subscription.paymentMethodId = isStored ? String(row.methodId) : null
    history.change(subscription, () => subscription.startTrial(clock))
    row.order.pay(clock.now)
  } else {
    history.change(subscription, () => subscription.markPaymentFailed(clock, { dunning: rules.readDunning(seller.dunning) }))
    store.releaseTrial(subscription.id)
  }
}

/** Whether another payment of the order is open or applied. */
function hasOther({ store, rules }: SettledHistory, row: PaymentRow): boolean {
  const others = store.payments.filter((other) => other !== row && other.order === row.order)
  return others.some(({ progress, use }) => rules.isOpen(progress.state) || use === 'applied')
}

function closeOthers({ store, rules, now }: SettledHistory, row: PaymentRow): void {
  for (const other of store.payments) {
    const { state } = other.progress
    if (other === row || other.order !== row.order || !rules.isOpen(state) || state === 'closing') continue
    const progress = { ...other.progress, state: 'closing', failureReason: 'canceled', action: null, checks: 0 } as const
    store.savePayment(other, progress, new Date(now))
  }
}

function settleOrder(history: SettledHistory, { order, progress, methodId }: PaymentRow, isPaid: boolean): void {
  const subscription = history.subscriptions.get(order.subscriptionId)
  const clock = history.getClock()
  if (subscription && isPaid && progress.initiator !== 'schedule') subscription.paymentMethodId = String(methodId)
  if (subscription && !isTerminal(subscription.status)) {
    const begins = isPaid && beginsPeriod(subscription, clock.now)
    if (isPaid || history.rules.endsAccess()) applyResult(history, { subscription, order, progress, isPaid })
    else subscription.dueAt = new Date(history.now + dayMs)
    if (begins) history.beginPeriod(subscription)
  }
  if (isPaid) assertHolds(order.pay(clock.now), 'an order is paid twice')
}

/** Whether the payment of a period gives access to it, which the customer did not have before. */
function beginsPeriod(subscription: Subscription, now: Date): boolean {
  if (subscription.status === 'past_due') return now >= subscription.currentPeriodEnd && !subscription.cancelAtPeriodEnd
  return subscription.status === 'incomplete' || subscription.status === 'unpaid'
}

interface AppliedResult {
  subscription: Subscription
  order: Order
  progress: PaymentRow['progress']
  isPaid: boolean
}

function applyResult(history: SettledHistory, { subscription, order, progress, isPaid }: AppliedResult): void {
  const { id, periodStart } = order
  const { rules, seller } = history
  const result = { isPaid, initiator: progress.initiator, order: { id, periodStart }, notBefore: progress.decline?.notBefore ?? null }
  const owed = needsOwedOrders(subscription, result)
    ? history.owed(subscription).map((each) => ({ id: each.id, isPaymentInProgress: history.hasOpen(each) }))
    : []
  const situation = { clock: history.getClock(), dunning: rules.readDunning(seller.dunning), now: new Date(history.now), owed }
  history.change(subscription, () => rules.applyPaymentResult(subscription, result, situation))
}

interface RefundSettlement {
  row: RefundRow
  progress: RefundRow['progress']
  nextCheckAt: Date | null
}

/** Stores a new progress of a refund with everything that follows, as `settle-refund.ts` does. */
export function settleSimulatedRefund(history: SettledHistory, { row, progress, nextCheckAt }: RefundSettlement): void {
  const [before, after] = [findStage(row.progress), findStage(progress)]
  history.store.saveRefund(row, progress, nextCheckAt)
  if (before === after) return
  if (row.purpose === 'surplus') return returnAgain(history, row)
  if (after === 'returned') row.payment.order.refund(row)
  else if (!history.rules.releasesRefund()) return
  else if (before === 'returned') row.payment.order.reverseRefund(row)
  else row.payment.order.releaseRefund(row)
}

/** A bank may return what was returned to a buyer: it is tried three times. */
function returnAgain(history: SettledHistory, { payment, progress }: RefundRow): void {
  if (findStage(progress) !== 'released') return
  if (waitsForPerson(history.store, payment)) return
  history.insertRefund(payment, { amount: payment.captured, taxAmount: 0n, purpose: 'surplus' })
}

/** Whether every return of a surplus has failed: a person decides how the buyer gets their money. */
export function waitsForPerson({ refunds }: SimulatedStore, payment: PaymentRow): boolean {
  const failed = refunds.filter((row) => row.payment === payment && row.purpose === 'surplus' && findStage(row.progress) === 'released')
  return failed.length >= maxReturns
}
