import { createHash } from 'node:crypto'
import type { Order } from '../../src/orders/order.ts'
import type { Initiator } from '../../src/payments/payment-progress.ts'
import type { Recorded } from '../../src/payments/record-answer.ts'
import type { Subscription } from '../../src/subscriptions/subscription.ts'
import type { DriveWorld } from './drive.ts'
import { Draws } from './draws.ts'
import { SellerSettings } from './seller-settings.ts'
import type { Rules } from './rules.ts'
import { decideByWallet, type Wallet } from './simulated-objects.ts'
import { SimulatedProvider, type Fault } from './simulated-provider.ts'
import { assertHolds, SimulatedStore, type PaymentRow, type RefundRow } from './simulated-store.ts'
import { newOrder, newPayment, newRefund, newSetup, newSubscription } from './new-rows.ts'
import { settleSimulated, settleSimulatedRefund } from './settle-simulated.ts'

const dayMs = 86_400_000
export interface HistoryOptions {
  rules: Rules
  run: number
  customer: number
  count(fault: Fault): void
  trace?: (line: string) => void
}

/** The rows, the provider and the clock of one customer, with the steps that the service would take; `live-customer.ts` has their life. */
export class CustomerHistory implements DriveWorld {
  readonly draws: Draws
  readonly rules: Rules
  readonly store = new SimulatedStore()
  readonly provider: SimulatedProvider
  readonly seller: SellerSettings
  readonly wallet: Wallet = { methodId: 1, poorUntil: 0, isLost: false, needsBuyer: false, isDebit: false }
  readonly startedAt = Date.UTC(2026, 0, 1)
  now: number
  subscription: Subscription | null = null
  readonly subscriptions = new Map<string | null | undefined, Subscription>()
  renewals = 0
  trials = 0
  /** Balance of the orders when it was last compared. */
  checkedBalance = 0n
  /** Webhooks on their way: the time and the payment of each. */
  events: { at: number; row: PaymentRow }[] = []
  readonly #digest = createHash('sha256')
  readonly #options: HistoryOptions
  #billedUntil: number | null = null
  #made = 0

  constructor(options: HistoryOptions) {
    this.#options = options
    this.rules = options.rules
    this.draws = new Draws(options.run, options.customer)
    this.now = this.startedAt + this.draws.between(0, 60 * dayMs)
    this.seller = new SellerSettings(this.draws)
    this.provider = new SimulatedProvider({
      draws: this.draws,
      decide: (intent) => decideByWallet(this.wallet, intent, this),
      count: options.count,
    })
  }

  /** Describes every step so far: the same run and customer give the same. */
  digest(): string {
    return this.#digest.copy().digest('hex')
  }

  note(text: string): void {
    this.#digest.update(`${this.now} ${text}`)
    this.#options.trace?.(`${new Date(this.now).toISOString()} ${text}`)
  }

  isKilled(): boolean {
    const isKilled = this.provider.hasFaults && this.draws.chance(0.005)
    if (isKilled) this.count('killed')
    return isKilled
  }

  count(fault: Fault): void {
    this.note(`fault ${fault}`)
    this.#options.count(fault)
  }

  /** Starts a subscription by a checkout, with the trial of its product once. */
  subscribe(): void {
    const { draws } = this
    const subscription = newSubscription({
      id: `s${(this.#made += 1)}`,
      now: this.now,
      priceAmount: BigInt(draws.between(100, 50_000)),
      interval: draws.chance(0.1) ? 'year' : 'month',
    })
    this.subscription = subscription
    this.subscriptions.set(subscription.id, subscription)
    this.#billedUntil = null
    const { product, needsMethod } = this.seller.chooseProduct()
    const isRedeemed = this.store.trials.has(product)
    if (needsMethod === null || !this.rules.givesTrial({ isRedeemed })) this.#pay(this.#placeCycle(subscription), 'buyer')
    else this.#startTrial(subscription, { product, needsMethod })
  }

  /** Begins at once, or once a method is stored. */
  #startTrial(subscription: Subscription, { product, needsMethod }: { product: number; needsMethod: boolean }): void {
    const { store } = this
    const clock = this.getClock()
    subscription.planTrial(this.seller.drawTrial(), clock)
    this.#billedUntil = subscription.currentPeriodEnd.getTime()
    store.redeemTrial(product, { subscriptionId: subscription.id, needsMethod })
    this.trials += 1
    const of = { subscriptionId: subscription.id, periodStart: subscription.currentPeriodStart }
    const order = newOrder({ id: `o${(this.#made += 1)}`, ...of, amounts: [] })
    store.orders.push(order)
    if (needsMethod) return this.#setUp(order)
    this.change(subscription, () => subscription.startTrial(clock))
    order.pay(clock.now)
  }

  /** The buyer stores a method without a payment: their subscription is charged with it. */
  storeMethod({ id }: Subscription): void {
    const order = this.store.orders.find(({ subscriptionId }) => subscriptionId === id)
    if (order && order.totalAmount === 0n && !this.hasOpen(order)) this.#setUp(order)
  }

  #setUp(order: Order): void {
    const row = newSetup({ id: `p${(this.#made += 1)}`, order, methodId: this.wallet.methodId, now: this.now })
    this.note(`${row.progress.id} stores a method for ${order.id}`)
    this.store.insertPayment(row)
  }

  /** Does what is due for the subscription, as `renew-due-subscriptions.ts` does. */
  renew(subscription: Subscription): void {
    const clock = this.getClock()
    if (subscription.isEndDue(clock.now)) return this.change(subscription, () => subscription.end())
    if (subscription.status === 'past_due') return this.#retry(subscription)
    if (this.rules.endsWithTrial(subscription)) return this.change(subscription, () => subscription.endWithTrial())
    this.renewals += 1
    let period = subscription.nextPeriod()
    for (let count = this.rules.periodsPerRenewal(); count > 0; count -= 1) {
      period = subscription.nextPeriod()
      subscription.beginPeriod(period)
    }
    if (!this.charge(this.#placeCycle(subscription), 'schedule')) this.fail(subscription)
  }

  #retry(subscription: Subscription): void {
    const owed = this.owed(subscription)
    subscription.awaitPayment()
    let isInProgress = false
    for (const order of owed) if (this.hasOpen(order) || this.charge(order, 'schedule')) isInProgress = true
    if (isInProgress) return
    if (owed.length === 0) this.change(subscription, () => subscription.markPaid(this.getClock()))
    else this.fail(subscription)
  }

  /** Charges an order; false if its method was declined for it finally. */
  charge(order: Order, initiator: Initiator): boolean {
    const declined = this.store.payments.some(
      ({ order: paid, methodId, progress }) =>
        paid === order && methodId === this.wallet.methodId && progress.decline !== null && progress.decline.kind !== 'soft',
    )
    if (declined && initiator === 'schedule') return false
    this.#pay(order, initiator)
    return true
  }

  /** A buyer tries to pay: never while another payment of the order is open. */
  payByBuyer(order: Order): void {
    if (order.status === 'pending' && !this.hasOpen(order)) this.#pay(order, 'buyer_again')
  }

  hasOpen(order: Order): boolean {
    return this.store.payments.some((row) => row.order === order && this.rules.isOpen(row.progress.state))
  }

  owed({ id }: Subscription): Order[] {
    return this.store.orders.filter((order) => order.subscriptionId === id && order.status === 'pending')
  }

  #pay(order: Order, initiator: Initiator): void {
    if (initiator === 'schedule') this.seller.assertMayCharge(order, this)
    const id = `p${(this.#made += 1)}`
    const row = newPayment({ id, order, terms: this.readTerms(order), methodId: this.wallet.methodId, initiator, now: this.now })
    this.note(`${row.progress.id} ${initiator} pays ${order.id}`)
    this.store.insertPayment(row)
  }

  /** A subscription that ended since is another term. */
  readTerms(order: Order): string {
    return `${order.totalAmount} ${this.subscriptions.get(order.subscriptionId)?.endedAt ? 'ended' : 'running'}`
  }

  #placeCycle(subscription: Subscription): Order {
    const { currentPeriodStart: start, currentPeriodEnd: end } = subscription
    assertHolds(this.#billedUntil === null || start.getTime() === this.#billedUntil, 'a period is skipped or billed twice')
    this.#billedUntil = end.getTime()
    assertHolds(subscription.status !== 'unpaid', 'an unpaid subscription is billed')
    assertHolds(this.now >= (subscription.trialEnd?.getTime() ?? 0), 'a trial is charged before its end')
    const of = { subscriptionId: subscription.id, periodStart: start }
    const order = newOrder({ id: `o${(this.#made += 1)}`, ...of, amounts: [subscription.amount] })
    this.store.orders.push(order)
    return order
  }

  settle(row: PaymentRow, recorded: Recorded, nextCheckAt: Date | null): void {
    settleSimulated(this, { row, recorded, nextCheckAt })
  }

  /** The seller refunds a part of a paid order, or all that is left. */
  refund(row: PaymentRow, share: number): void {
    const { order } = row
    const left = order.netAmount - order.refundedAmount - order.refundingAmount
    const amount = (left * BigInt(Math.ceil(share * 100))) / 100n
    if (amount > 0n) this.insertRefund(row, { amount, taxAmount: order.reserveRefund(amount), purpose: 'order' })
  }

  insertRefund(payment: PaymentRow, values: Pick<RefundRow, 'amount' | 'taxAmount' | 'purpose'>): void {
    const row = newRefund({ id: `f${(this.#made += 1)}`, payment, now: this.now, ...values })
    this.note(`${row.progress.id} refunds ${payment.progress.id}`)
    this.store.insertRefund(row)
  }

  settleRefund(row: RefundRow, progress: RefundRow['progress'], nextCheckAt: Date | null): void {
    settleSimulatedRefund(this, { row, progress, nextCheckAt })
  }

  /** Counts an attempt that could charge nothing. */
  fail(subscription: Subscription): void {
    const dunning = this.rules.readDunning(this.seller.dunning)
    if (this.rules.endsAccess()) this.change(subscription, () => subscription.markPaymentFailed(this.getClock(), { dunning }))
    else subscription.dueAt = new Date(this.now + dayMs)
  }

  /** A period without access before its payment begins today: the time between is not billed. */
  beginPeriod(subscription: Subscription): void {
    assertHolds(subscription.currentPeriodStart.getTime() === this.now, 'a paid period does not begin on the day of its payment')
    this.#billedUntil = subscription.currentPeriodEnd.getTime()
  }

  getClock() {
    return { now: new Date(this.now), toReal: (at: Date) => at }
  }

  /** Changes the subscription and notes what it became. */
  change(subscription: Subscription, change: () => unknown): void {
    const { status: before, cancelAtPeriodEnd } = subscription
    change()
    const { status } = subscription
    if (before === 'past_due' && status !== 'active' && status !== before)
      this.seller.assertLastTry(status, { endsWithPeriod: cancelAtPeriodEnd })
    this.note(`${subscription.id} ${subscription.status}`)
  }
}
