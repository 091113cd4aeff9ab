import type { FakeFault } from '@quittance/testing/stripe/fake-faults'
import { Draws } from '../simulation/draws.ts'

/** A step between two commits: a call of the provider, before or after it is executed. */
export interface CallPoint {
  route: string
  moment: 'before' | 'after'
}

/** A payment method that the buyer stores without a payment. */
export interface DrawnSetup {
  card: string
  /** What the buyer does where their bank asks: an abandoned step waits for them. */
  step: 'confirmed' | 'rejected' | 'abandoned'
}

/** What a buyer and a seller do, and which calls fail; the same for the same numbers. */
export interface KillHistory {
  number: number
  /** Test cards, in the order in which the buyer tries them. */
  cards: string[]
  /** Whether the buyer takes the step of the bank, and whether a bank debit is paid. */
  isConfirmed: boolean
  /** Methods that the buyer stores in the portal, one after the other. */
  setups: DrawnSetup[]
  /** Whether the buyer stores them before they buy, else afterwards. */
  isStoredFirst: boolean
  /** Net amounts that the seller refunds, one after the other. */
  refunds: number[]
  /** Whether the bank returns the first refund after it was made. */
  isReturned: boolean
  /** Where the process is killed, one per life of a process. */
  kills: CallPoint[]
  /** Calls that go wrong: the n-th of a route. */
  faults: (CallPoint & { nth: number; fault: FakeFault })[]
}

export const routes = {
  customers: 'POST /v1/customers',
  prepare: 'POST /v1/payment_intents',
  submit: 'POST /v1/payment_intents/:id/confirm',
  read: 'GET /v1/payment_intents/:id',
  cancel: 'POST /v1/payment_intents/:id/cancel',
  refund: 'POST /v1/refunds',
  readRefund: 'GET /v1/refunds/:id',
  prepareSetup: 'POST /v1/setup_intents',
  submitSetup: 'POST /v1/setup_intents/:id/confirm',
  readSetup: 'GET /v1/setup_intents/:id',
  cancelSetup: 'POST /v1/setup_intents/:id/cancel',
} as const

const all = Object.values(routes)
const ofPayments = [routes.customers, routes.prepare, routes.submit] as const
const ofSales = all.filter((route) => !route.includes('setup_intents'))
const ofSetups = [routes.prepareSetup, routes.submitSetup, routes.readSetup, routes.cancelSetup] as const

/** Price of what is sold, in cents. */
export const price = 4_200

const faults: readonly FakeFault[] = [
  { kind: 'reset' },
  { kind: 'text', status: 502, text: '<html>Bad Gateway</html>' },
  { kind: 'truncated' },
  { kind: 'server-error', isKept: true },
  { kind: 'server-error', isKept: false },
  { kind: 'delay', ms: 300 },
]

/** Draws the history of a number in a run. */
export function drawHistory(run: number, number: number): KillHistory {
  const draws = new Draws(run, number)
  const pick = <T>(list: readonly T[]): T => list[draws.between(0, list.length - 1)] as T
  const moment = () => pick(['before', 'after'] as const)
  const setups = draws.chance(0.5) ? Array.from({ length: draws.between(1, 2) }, () => drawSetup(draws)) : []
  const isStoredFirst = setups.length > 0 && draws.chance(0.7)
  const kills: CallPoint[] = [{ route: pick(isStoredFirst ? ofSetups : ofPayments), moment: moment() }]
  while (kills.length < 4 && draws.chance(0.7)) kills.push({ route: pick(setups.length > 0 ? all : ofSales), moment: moment() })
  // A process that is never killed in the payment reaches the refund.
  if (draws.chance(0.3)) kills[0] = { route: routes.refund, moment: moment() }
  const refunds = Array.from({ length: pick([0, 1, 1, 2]) }, () => draws.between(1, price / 2))
  return {
    number,
    cards: drawCards(draws),
    isConfirmed: draws.chance(0.8),
    refunds,
    isReturned: draws.chance(0.2),
    kills,
    setups,
    isStoredFirst,
    faults: all.flatMap((route) =>
      draws.chance(0.2) ? [{ route, moment: moment(), nth: draws.between(1, 2), fault: drawFault(draws) }] : [],
    ),
  }
}

/** A limit pauses the account of all histories, so it is rare. */
function drawFault(draws: Draws): FakeFault {
  return draws.chance(0.02) ? { kind: 'rate-limit' } : (faults[draws.between(0, faults.length - 1)] as FakeFault)
}

function drawCards(draws: Draws): string[] {
  const draw = draws.next()
  if (draw < 0.55) return ['pm_card_visa']
  if (draw < 0.7) return ['pm_card_visa_chargeDeclinedInsufficientFunds', 'pm_card_visa']
  if (draw < 0.82) return ['pm_card_authenticationRequired']
  if (draw < 0.92) return ['pm_success_sepaDebit']
  return ['pm_card_pendingRefund']
}

function drawSetup(draws: Draws): DrawnSetup {
  const draw = draws.next()
  if (draw < 0.3) return { card: 'pm_card_visa', step: 'confirmed' }
  if (draw < 0.4) return { card: 'pm_success_sepaDebit', step: 'confirmed' }
  if (draw < 0.55) return { card: 'pm_card_visa_chargeDeclined', step: 'confirmed' }
  const card = draw < 0.8 ? 'pm_card_authenticationRequiredOnSetup' : 'pm_card_authenticationRequired'
  const steps = ['confirmed', 'confirmed', 'rejected', 'abandoned'] as const
  return { card, step: steps[draws.between(0, steps.length - 1)] ?? 'confirmed' }
}
