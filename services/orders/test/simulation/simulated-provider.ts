import type { Answer, Intent, RefundIntent, Seen, SeenRefund } from '../../src/providers/provider.ts'
import type { Draws } from './draws.ts'
import { countReceived, dayMs, toSeen, toSeenRefund, type BankDecision, type Charge, type Refund } from './simulated-objects.ts'

export const replayMs = 23 * 3_600_000
export const settlesWithinMs = 120_000
const keptMs = 24 * 3_600_000

/** Faults by kind, with how often a call meets them. */
const faultRates = { answerLost: 0.005, requestLost: 0.005, keptError: 0.002, busy: 0.003, misconfigured: 0.0005 }

export type Fault = keyof typeof faultRates | 'lateSuccess' | 'wrongAmount' | 'killed' | 'eventDropped' | 'eventDoubled' | 'eventDelayed'

interface Kept {
  at: number
  /** The first answer; null: it was a server error. A repeated call gets the same. */
  object: Charge | Refund | null
}

const noFault = Number.POSITIVE_INFINITY

/** The provider of one customer: an account with objects, keys and faults. Time is that of the caller. */
export class SimulatedProvider {
  readonly charges = new Map<string, Charge>()
  readonly refunds = new Map<string, Refund>()
  readonly #keys = new Map<string, Kept>()
  readonly #draws: Draws
  readonly #decide: (intent: Intent) => BankDecision
  readonly #count: (fault: Fault) => void
  /** Without faults everything is answered. */
  hasFaults = true
  #made = 0

  constructor({ draws, decide, count }: { draws: Draws; decide: (intent: Intent) => BankDecision; count: (fault: Fault) => void }) {
    this.#draws = draws
    this.#decide = decide
    this.#count = count
  }

  /** Money that buyers sent less what they got back, as bank statements show. */
  moneyMoved(now: number): bigint {
    let moved = 0n
    for (const charge of this.charges.values()) if (this.#age(charge, now).status === 'succeeded') moved += countReceived(charge)
    for (const refund of this.refunds.values()) if (this.#age(refund, now).status !== 'failed') moved -= refund.money.amount
    return moved
  }

  /** Money that was received for an object. */
  receivedFor(theirs: string | null, now: number): bigint {
    const charge = theirs === null ? undefined : this.charges.get(theirs)
    return charge && this.#age(charge, now).status === 'succeeded' ? countReceived(charge) : 0n
  }

  /** Whether an object can still be paid. */
  isPayable(theirs: string | null): boolean {
    const status = theirs === null ? 'canceled' : this.charges.get(theirs)?.status
    return status !== 'canceled' && status !== 'succeeded'
  }

  /** Whether an object was given another amount than was asked for. */
  isWrong(theirs: string | null): boolean {
    return theirs !== null && this.charges.get(theirs)?.isWrong === true
  }

  prepare(intent: Intent, key: string, now: number): Answer<Seen> {
    return this.#call(key, now, () => {
      const { money } = intent
      const isWrong = money !== null && this.hasFaults && this.#draws.chance(0.000_3)
      if (isWrong) this.#count('wrongAmount')
      const charge: Charge = {
        theirs: `c${(this.#made += 1)}`,
        ours: intent.id,
        money,
        status: 'untouched',
        changesAt: noFault,
        becomes: 'canceled',
        decline: 'generic',
        isWrong,
      }
      this.charges.set(charge.theirs, charge)
      return charge
    })
  }

  /** Of one object one submission succeeds at most, whatever the keys. */
  submit({ theirs, intent, key }: { theirs: string; intent: Intent; key: string }, now: number): Answer<Seen> {
    return this.#call(key, now, () => {
      const charge = this.#age(this.charges.get(theirs) as Charge, now)
      if (charge.status === 'untouched') this.#apply(charge, this.#decide(intent), now)
      return charge
    })
  }

  #apply(charge: Charge, decision: BankDecision, now: number): void {
    charge.status = decision.is
    if (decision.is === 'declined') charge.decline = decision.code
    if (decision.is === 'processing') {
      charge.changesAt = now + decision.days * dayMs
      charge.becomes = decision.succeeds ? 'succeeded' : 'declined'
    }
  }

  read(theirs: string, now: number): Answer<Seen> {
    return this.#call(null, now, () => this.#age(this.charges.get(theirs) as Charge, now))
  }

  findByOurId(ours: string, now: number): Answer<Seen> {
    const found = [...this.charges.values()].find((charge) => charge.ours === ours)
    return this.#call(null, now, () => found && this.#age(found, now))
  }

  /** A canceled object can be paid nevertheless, rarely: no provider should do this. */
  cancel(theirs: string, key: string, now: number): Answer<Seen> {
    return this.#call(key, now, () => {
      const charge = this.#age(this.charges.get(theirs) as Charge, now)
      if (charge.status === 'succeeded') return charge
      charge.status = 'canceled'
      charge.changesAt = noFault
      if (!this.hasFaults || !this.#draws.chance(0.05)) return charge
      this.#count('lateSuccess')
      charge.changesAt = now + this.#draws.between(1, 5 * dayMs)
      charge.becomes = 'succeeded'
      return charge
    })
  }

  /** The buyer took the step of their bank, or did not. */
  act(theirs: string, isConfirmed: boolean): boolean {
    const charge = this.charges.get(theirs)
    if (charge?.status !== 'requires_action') return false
    charge.status = isConfirmed ? 'succeeded' : 'declined'
    charge.decline = 'authentication_failed'
    return true
  }

  refund(intent: RefundIntent, key: string, now: number): Answer<SeenRefund> {
    const charge = this.charges.get(intent.payment.theirs) as Charge
    return this.#callRefund(key, now, () => {
      const draw = this.#draws.next()
      const refund: Refund = {
        theirs: `r${(this.#made += 1)}`,
        ours: intent.id,
        payment: charge.theirs,
        money: intent.money,
        status: 'succeeded',
        changesAt: noFault,
        becomes: 'failed',
      }
      if (draw < 0.02) refund.changesAt = now + this.#draws.between(1, 20) * dayMs
      else if (draw < 0.2)
        Object.assign(refund, {
          status: 'processing',
          changesAt: now + this.#draws.between(1, 5) * dayMs,
          becomes: draw < 0.04 ? 'failed' : 'succeeded',
        })
      this.refunds.set(refund.theirs, refund)
      return refund
    })
  }

  readRefund(theirs: string, now: number): Answer<SeenRefund> {
    return this.#callRefund(null, now, () => this.#age(this.refunds.get(theirs) as Refund, now))
  }

  findRefund(ours: string, now: number): Answer<SeenRefund> {
    const found = [...this.refunds.values()].find((refund) => refund.ours === ours)
    return this.#callRefund(null, now, () => found && this.#age(found, now))
  }

  #age<T extends Charge | Refund>(object: T, now: number): T {
    if (object.changesAt > now) return object
    object.status = object.becomes
    object.changesAt = noFault
    return object
  }

  #call(key: string | null, now: number, execute: () => Charge | undefined): Answer<Seen> {
    const outcome = this.#execute(key, now, execute)
    if (!('object' in outcome)) return outcome
    return outcome.object ? { got: toSeen(outcome.object as Charge) } : { absent: true }
  }

  #callRefund(key: string | null, now: number, execute: () => Refund | undefined): Answer<SeenRefund> {
    const outcome = this.#execute(key, now, execute)
    if (!('object' in outcome)) return outcome
    return outcome.object ? { got: toSeenRefund(outcome.object as Refund) } : { absent: true }
  }

  #execute(
    key: string | null,
    now: number,
    execute: () => Charge | Refund | undefined,
  ): Answer<never> | { object: Charge | Refund | undefined } {
    const fault = this.#drawFault()
    if (fault === 'busy') return { unknown: 'busy', sent: false, retryAfterMs: 1_000 }
    if (fault === 'misconfigured') return { misconfigured: 'permission', detail: 'simulated' }
    if (fault === 'requestLost') return { unknown: 'timeout', sent: true, retryAfterMs: null }
    const kept = key === null ? undefined : this.#keys.get(key)
    if (kept && now - kept.at < keptMs) {
      if (kept.object === null) return { unknown: 'server_error', sent: true, retryAfterMs: null }
      return fault === 'answerLost' ? { unknown: 'timeout', sent: true, retryAfterMs: null } : { object: kept.object }
    }
    if (fault === 'keptError' && key !== null) {
      this.#keys.set(key, { at: now, object: null })
      return { unknown: 'server_error', sent: true, retryAfterMs: null }
    }
    const object = execute()
    if (key !== null && object) this.#keys.set(key, { at: now, object: { ...object } })
    return fault === 'answerLost' ? { unknown: 'timeout', sent: true, retryAfterMs: null } : { object }
  }

  #drawFault(): keyof typeof faultRates | null {
    let left = this.#draws.next()
    if (!this.hasFaults) return null
    for (const [fault, rate] of Object.entries(faultRates) as [keyof typeof faultRates, number][]) {
      if (left < rate) {
        this.#count(fault)
        return fault
      }
      left -= rate
    }
    return null
  }
}
