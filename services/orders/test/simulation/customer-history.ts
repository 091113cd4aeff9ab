import { createHash } from 'node:crypto'
import { Order } from '../../src/orders/order.ts'
import { orderAmounts } from '../../src/pricing/order-amounts.ts'
import { periodEnd } from '../../src/pricing/billing-period.ts'
import type { TaxRate } from '../../src/pricing/tax-amounts.ts'
import type { Initiator } from '../../src/payments/payment-progress.ts'
import type { Recorded } from '../../src/payments/record-answer.ts'
import { Subscription } from '../../src/subscriptions/subscription.ts'
import type { DriveWorld } from './drive.ts'
import { Draws } from './draws.ts'
import { defaultDunning } from '../../src/organizations/dunning.ts'
import type { Rules } from './rules.ts'
import type { BankDecision, Wallet } from './simulated-objects.ts'
import { SimulatedProvider, type Fault } from './simulated-provider.ts'
import { assertHolds, SimulatedStore, type PaymentRow, type RefundRow } from './simulated-store.ts'
import { newPayment, newRefund } from './new-rows.ts'
import { settleSimulated, settleSimulatedRefund } from './settle-simulated.ts'

const dayMs = 86_400_000
const rate: TaxRate = { name: 'VAT', country: 'DE', state: null, partsPerMillion: 190_000n, isReverseCharge: false }

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
  readonly wallet: Wallet = { methodId: 1, poorUntil: 0, isLost: false, needsBuyer: false, isDebit: false }
  readonly startedAt = Date.UTC(2026, 0, 1)
  now: number
  subscription: Subscription | null = null
  readonly subscriptions = new Map<string | null | undefined, Subscription>()
  renewals = 0
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
    this.provider = new SimulatedProvider({
      draws: this.draws,
      decide: (intent) => this.#decide(intent.buyerPresent),
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

  #decide(isBuyerPresent: boolean): BankDecision {
    const { wallet } = this
    if (wallet.isLost) return { is: 'declined', code: 'lost_or_stolen' }
    if (this.now < wallet.poorUntil) return { is: 'declined', code: 'insufficient_funds' }
    if (wallet.needsBuyer) return isBuyerPresent ? { is: 'requires_action' } : { is: 'declined', code: 'authentication_required' }
    if (wallet.isDebit) return { is: 'processing', days: this.draws.between(1, 5), succeeds: !this.draws.chance(0.02) }
    return { is: 'succeeded' }
  }

  /** Starts a subscription by a checkout. */
  subscribe(): void {
    const start = new Date(this.now)
    const priceAmount = BigInt(this.draws.between(100, 50_000))
    const anchorDay = start.getUTCDate()
    const interval = this.draws.chance(0.1) ? 'year' : 'month'
    this.subscription = Object.assign(
      Object.create(Subscription.prototype) as Subscription,
      {
        ...{
          id: `s${(this.#made += 1)}`,
          status: 'incomplete',
          priceAmount,
          amount: priceAmount,
          periodAmount: priceAmount,
          failedCharges: 0,
        },
        ...{
          recurringInterval: interval,
          anchorDay,
          currentPeriodStart: start,
          currentPeriodEnd: periodEnd(start, { interval, anchorDay }),
        },
        ...{ cancelAtPeriodEnd: false, canceledAt: null, startedAt: null, endsAt: null, endedAt: null, dueAt: null, leasedUntil: null },
      } as const,
    )
    this.subscriptions.set(this.subscription.id, this.subscription)
    this.#billedUntil = null
    this.#pay(this.#placeCycle(this.subscription), 'buyer')
  }

  /** Does what is due for the subscription, as `renew-due-subscriptions.ts` does. */
  renew(subscription: Subscription): void {
    const clock = this.getClock()
    if (subscription.isEndDue(clock.now)) return this.change(subscription, () => subscription.end())
    if (subscription.status === 'past_due') return this.#retry(subscription)
    this.renewals += 1
    let period = subscription.nextPeriod()
    for (let count = this.rules.periodsPerRenewal(); count > 0; count -= 1) {
      period = subscription.nextPeriod()
      subscription.beginPeriod(period)
    }
    if (!this.charge(this.#placeCycle(subscription), 'schedule')) this.fail(subscription, null)
  }

  #retry(subscription: Subscription): void {
    const owed = this.owed(subscription)
    subscription.awaitPayment()
    let isInProgress = false
    for (const order of owed) if (this.hasOpen(order) || this.charge(order, 'schedule')) isInProgress = true
    if (isInProgress) return
    if (owed.length === 0) this.change(subscription, () => subscription.markPaid(this.getClock()))
    else this.fail(subscription, null)
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
    const row = newPayment({
      id: `p${(this.#made += 1)}`,
      order,
      terms: this.readTerms(order),
      methodId: this.wallet.methodId,
      initiator,
      now: this.now,
    })
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
    const { net, tax, total } = orderAmounts({ lines: [{ amount: subscription.amount, rate }], discount: null, taxBehavior: 'exclusive' })
    const order = Object.assign(
      Object.create(Order.prototype) as Order,
      {
        ...{ id: `o${(this.#made += 1)}`, status: 'pending', subscriptionId: subscription.id, billingReason: 'subscription_cycle' },
        ...{ netAmount: net, taxAmount: tax, totalAmount: total, taxBehavior: 'exclusive', paidAt: null, nextPaymentAttemptAt: null },
        ...{ refundedAmount: 0n, refundedTaxAmount: 0n, refundingAmount: 0n, refundingTaxAmount: 0n },
        ...{ creditableAmount: 0n, creditUsedAmount: 0n, creditedAmount: 0n },
      } as const,
    )
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

  fail(subscription: Subscription, notBefore: Date | null): void {
    if (this.rules.endsAccess())
      this.change(subscription, () => subscription.markPaymentFailed(this.getClock(), { dunning: defaultDunning, notBefore }))
    else subscription.dueAt = new Date(this.now + dayMs)
  }

  getClock() {
    return { now: new Date(this.now), toReal: (at: Date) => at }
  }

  /** Changes the subscription and notes what it became. */
  change(subscription: Subscription, change: () => unknown): void {
    change()
    this.note(`${subscription.id} ${subscription.status}`)
  }
}
