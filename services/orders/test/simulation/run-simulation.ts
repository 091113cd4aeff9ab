import { createHash } from 'node:crypto'
import { CustomerHistory } from './customer-history.ts'
import { liveCustomer } from './live-customer.ts'
import { rules, type Rules } from './rules.ts'
import type { Fault } from './simulated-provider.ts'
import { Violation } from './simulated-store.ts'

/** Years that one customer lives, without the quiet one. */
export const yearsPerCustomer = 5

export interface SimulationOptions {
  run: number
  years: number
  mutation?: Partial<Rules>
  /** Only this customer. */
  customer?: number | undefined
  /** Customers from this one on, every `stride`th: parts of one run in several processes. */
  part?: { first: number; stride: number }
  trace?: ((line: string) => void) | undefined
  /** Called with the digest of each history; the same run gives the same. */
  onDigest?: (customer: number, digest: string) => void
}

export interface SimulationResult {
  run: number
  customers: number
  renewals: number
  trials: number
  payments: number
  refunds: number
  faults: Partial<Record<Fault, number>>
  /** The first one ends the run. */
  violation: { customer: number; message: string } | null
  /** Of all histories: the same run gives the same. */
  digest: string
}

/** Runs the histories of as many customers as the years need. A customer depends on the run and its own number only. */
export function runSimulation({ run, years, mutation = {}, customer, part, trace, onDigest }: SimulationOptions): SimulationResult {
  const count = Math.max(1, Math.ceil(years / yearsPerCustomer))
  const result: SimulationResult = {
    run,
    customers: 0,
    renewals: 0,
    trials: 0,
    payments: 0,
    refunds: 0,
    faults: {},
    violation: null,
    digest: '',
  }
  const digest = createHash('sha256')
  const [first, end, stride] = customer === undefined ? [part?.first ?? 0, count, part?.stride ?? 1] : [customer, customer + 1, 1]
  for (let number = first; number < end && !result.violation; number += stride) {
    const history = new CustomerHistory({
      rules: { ...rules, ...mutation },
      run,
      customer: number,
      count: (fault) => void (result.faults[fault] = (result.faults[fault] ?? 0) + 1),
      ...(trace && { trace }),
    })
    try {
      liveCustomer(history, yearsPerCustomer)
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      result.violation = { customer: number, message: error.message }
    }
    result.customers += 1
    result.renewals += history.renewals
    result.trials += history.trials
    result.payments += history.store.payments.length
    result.refunds += history.store.refunds.length
    const ownDigest = history.digest()
    onDigest?.(number, ownDigest)
    digest.update(ownDigest)
  }
  return { ...result, digest: digest.digest('hex') }
}
