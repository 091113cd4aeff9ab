import { addMonths } from '../../src/pricing/billing-period.ts'
import { activeStatuses, isTerminal } from '../../src/subscriptions/subscription-status.ts'
import type { Subscription } from '../../src/subscriptions/subscription.ts'
import type { CustomerHistory } from './customer-history.ts'
import { driveSimulated, driveSimulatedRefund } from './drive.ts'
import { waitsForPerson } from './settle-simulated.ts'
import { assertHolds, isOpen, type PaymentRow, type RefundRow } from './simulated-store.ts'

const dayMs = 86_400_000

/** An hour: the buyer may be at their bank. */
const toleranceMs = 3_600_000

/** Lets a customer live for some years, then for a quiet one in which nothing new happens and everything must end. */
export function liveCustomer(history: CustomerHistory, years: number): void {
  const end = addMonths(new Date(history.startedAt), { months: 12 * years, anchorDay: 1 }).getTime()
  let nextAct = history.now
  while (history.now < end) {
    if (history.now >= nextAct) {
      act(history)
      nextAct = history.now + history.draws.between(1, 30) * dayMs
    }
    step(history, Math.min(nextAct, end))
  }
  history.provider.hasFaults = false
  Object.assign(history.wallet, { isLost: false, poorUntil: 0, needsBuyer: false })
  const { subscription } = history
  if (subscription && !isTerminal(subscription.status)) subscription.revoke(new Date(history.now))
  const quietEnd = history.now + 366 * dayMs
  while (history.now < quietEnd) step(history, quietEnd)
  assertQuiet(history)
}

/** Does the next thing that is due, or lets the time pass until then. */
function step(history: CustomerHistory, until: number): void {
  const { store, subscription } = history
  let at = until
  let due: PaymentRow | RefundRow | 'subscription' | null = null
  const consider = (time: number, what: typeof due) => {
    if (time < at || (time === at && due === null && time < until)) [at, due] = [time, what]
  }
  for (const row of store.duePayments) consider(Math.max(row.nextCheckAt as number, row.leasedUntil), row)
  for (const row of store.dueRefunds) consider(Math.max(row.nextCheckAt as number, row.leasedUntil), row)
  if (subscription?.dueAt) consider(subscription.dueAt.getTime(), 'subscription')
  const event = history.events[0]
  if (event && event.at <= at && event.at <= until) {
    history.events.shift()
    history.now = Math.max(history.now, event.at)
    if (event.row.nextCheckAt !== null || !isOpen(event.row.progress)) wake(history, event.row)
    return
  }
  history.now = Math.max(history.now, at)
  if (due === null) return
  if (due === 'subscription') {
    if (subscription) history.renew(subscription)
  } else if ('purpose' in due) driveSimulatedRefund(history, due)
  else {
    driveSimulated(history, due)
    sendEvents(history, due)
  }
  assertConsistent(history)
}

/** An event only lets a row be checked now. */
function wake(history: CustomerHistory, row: PaymentRow): void {
  history.store.savePayment(row, row.progress, new Date(history.now))
}

/** The provider publishes that a payment changed later: once, twice, late, or never. */
function sendEvents(history: CustomerHistory, row: PaymentRow): void {
  const { draws, provider, now } = history
  const charge = row.progress.theirs === null ? undefined : provider.charges.get(row.progress.theirs)
  if (!charge) return
  if (charge.status === 'requires_action' && draws.chance(0.9)) {
    history.now += draws.between(1, 20) * 60_000
    provider.act(charge.theirs, draws.chance(0.9))
  } else if (!Number.isFinite(charge.changesAt)) return
  const at = Number.isFinite(charge.changesAt) ? charge.changesAt : history.now
  const isFaulty = provider.hasFaults ? draws.next() : 1
  // What was dropped is found by the list of events, which is read every five minutes.
  const delay = isFaulty < 0.05 ? draws.between(1, 600_000) : isFaulty < 0.15 ? draws.between(1, 3) * dayMs : 0
  if (isFaulty < 0.05) history.count('eventDropped')
  else if (isFaulty < 0.1) history.count('eventDoubled')
  else if (isFaulty < 0.15) history.count('eventDelayed')
  const copies = isFaulty >= 0.05 && isFaulty < 0.1 ? 2 : 1
  for (let copy = 0; copy < copies; copy += 1) history.events.push({ at: Math.max(now, at) + delay + copy, row })
  history.events.sort((one, other) => one.at - other.at)
}

/** What customers and sellers do. */
function act(history: CustomerHistory): void {
  const { draws, wallet, subscription } = history
  if (!subscription || isTerminal(subscription.status)) {
    if (!draws.chance(0.5)) return
    renewWallet(history)
    // Some give a card that is declined at once, or whose bank asks.
    Object.assign(wallet, { isLost: draws.chance(0.05), needsBuyer: draws.chance(0.1) })
    history.subscribe()
    return
  }
  const draw = draws.next()
  const at = new Date(history.now)
  if (draw < 0.03) wallet.poorUntil = history.now + draws.between(1, 25) * dayMs
  else if (draw < 0.04) wallet.isLost = true
  else if (draw < 0.05) wallet.needsBuyer = !wallet.needsBuyer
  else if (draw < 0.06) wallet.isDebit = !wallet.isDebit
  else if (draw < 0.066 && !subscription.cancelAtPeriodEnd && subscription.status === 'active') subscription.cancel(history.getClock(), {})
  else if (draw < 0.07 && subscription.cancelAtPeriodEnd) subscription.uncancel()
  else if (draw < 0.073) subscription.revoke(at)
  else if (draw < 0.083) subscription.amount = BigInt(draws.between(100, 50_000))
  else if (draw < 0.1) refundOne(history)
  else if (draw < 0.11) history.seller.chooseDunning()
  if (subscription.status === 'trialing') actInTrial(history, subscription)
  if (subscription.status === 'past_due' || subscription.status === 'unpaid') payAgain(history)
}

/** A customer cancels before anything is owed, or gives a method after all. */
function actInTrial(history: CustomerHistory, subscription: Subscription): void {
  const { draws } = history
  const draw = draws.next()
  if (draw < 0.15 && !subscription.cancelAtPeriodEnd) subscription.cancel(history.getClock(), {})
  else if (draw < 0.5) history.storeMethod(subscription)
}

/** A new card. */
function renewWallet({ wallet }: CustomerHistory): void {
  Object.assign(wallet, { methodId: wallet.methodId + 1, isLost: false, needsBuyer: false })
}

function refundOne(history: CustomerHistory): void {
  const { draws, store } = history
  const paid = store.payments.filter(({ use }) => use === 'applied')
  const row = paid[draws.between(0, paid.length - 1)]
  if (row) history.refund(row, draws.chance(0.5) ? 1 : draws.next())
}

/** A customer who owes something gets a new card, or pays in two windows at once. */
function payAgain(history: CustomerHistory): void {
  const { draws, subscription } = history
  if (!subscription || !draws.chance(0.5)) return
  if (draws.chance(0.7)) renewWallet(history)
  const [order] = history.owed(subscription)
  if (!order) return
  history.payByBuyer(order)
  history.payByBuyer(order)
}

/** What holds after every step: the ledger follows the orders, and access follows what was paid. */
function assertConsistent(history: CustomerHistory): void {
  const { store, subscription } = history
  if (store.ledger.order !== history.checkedBalance) assertBalance(history)
  if (!subscription) return
  const { status, dueAt, currentPeriodEnd } = subscription
  assertHolds(status !== 'unpaid' || !dueAt, 'an unpaid subscription is due')
  const isOver = dueAt !== null && history.now > currentPeriodEnd.getTime() + toleranceMs
  assertHolds(status !== 'trialing' || !isOver, 'a trial does not end')
  if (!activeStatuses.includes(status)) return
  for (const order of history.owed(subscription)) {
    const rows = store.payments.filter((row) => row.order === order)
    assertHolds(
      rows.some(({ progress }) => isOpen(progress)),
      'a customer has access without paying',
    )
  }
}

/** A trial that needs a method began with one; a subscription that ended with its trial owes nothing. */
function assertTrials({ store, subscriptions }: CustomerHistory): void {
  for (const { subscriptionId, needsMethod } of store.trials.values()) {
    const isStored = store.payments.some(({ use, order }) => use === 'stored' && order.subscriptionId === subscriptionId)
    const hasBegun = Boolean(subscriptions.get(subscriptionId)?.startedAt)
    assertHolds(!needsMethod || isStored || !hasBegun, 'a trial begins without its payment method')
  }
  for (const { id, trialEnd, endedAt, status } of subscriptions.values()) {
    if (!trialEnd || !endedAt || endedAt > trialEnd) continue
    const orders = store.orders.filter(({ subscriptionId }) => subscriptionId === id)
    assertHolds(
      status !== 'active' && orders.every(({ totalAmount }) => totalAmount === 0n),
      'a subscription that ended with its trial owes',
    )
  }
}

function assertBalance(history: CustomerHistory): void {
  let balance = 0n
  for (const order of history.store.orders)
    if (order.status !== 'pending')
      balance += order.totalAmount - order.refundedAmount - order.refundedTaxAmount - order.refundingAmount - order.refundingTaxAmount
  assertHolds(history.store.ledger.order === balance, 'the ledger of orders is not what orders were paid')
  history.checkedBalance = balance
}

/** What holds when nothing is in progress any more. Only what waits for a person is left. */
function assertQuiet(history: CustomerHistory): void {
  const { store, provider, now } = history
  assertBalance(history)
  assertTrials(history)
  const ours = [...provider.charges.values()].map((charge) => charge.ours)
  assertHolds(new Set(ours).size === ours.length, 'a payment has two objects at the provider')
  for (const { progress } of store.payments)
    assertHolds(progress.state !== 'failed' || !provider.isPayable(progress.theirs), 'a failed payment can still be paid')
  const quarantined = store.payments.filter(({ progress }) => progress.quarantineReason !== null)
  const open = store.payments.filter((row) => isOpen(row.progress) && !quarantined.includes(row))
  assertHolds(open.length === 0, 'a payment does not end')
  assertHolds(store.ledger.refunds_under_way === 0n, 'a refund does not end')
  const notReturned = store.payments.filter((row) => row.use === 'surplus' && waitsForPerson(store, row))
  const unapplied = notReturned.reduce((sum, { captured }) => sum + captured, 0n)
  assertHolds(store.ledger.unapplied === unapplied, 'money belongs to nothing')
  const waiting = quarantined.reduce((sum, { progress }) => sum + provider.receivedFor(progress.theirs, now), 0n)
  assertHolds(provider.moneyMoved(now) - waiting === -store.ledger.provider, 'the ledger is not what the provider moved')
  for (const { captured, refunded } of store.payments) assertHolds(refunded <= captured, 'more is refunded than was captured')
  for (const { progress } of quarantined)
    assertHolds(provider.isWrong(progress.theirs), 'a payment is in quarantine although nothing is wrong')
}
