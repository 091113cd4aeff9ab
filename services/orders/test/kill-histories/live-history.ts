import type { StripeShop } from '../stripe-shop.ts'
import type { KillHistory } from './draw-history.ts'
import type { HistoryRows } from './history-rows.ts'

/** A confirmation token of the buyer, and the key of the request that uses it. */
export interface SentToken {
  token: string
  key: string
}

/** A history under way. It outlives the processes that are killed in it. */
export interface LiveHistory {
  readonly history: KillHistory
  checkout: { id: string; client_secret: string } | null
  /** A confirmation that was sent and not answered: it is sent again under its key. */
  unanswered: SentToken | null
  /** Of a buyer who stores methods. */
  customerId: string | null
  /** The tokens of the drawn setups so far. */
  setupTokens: string[]
  /** A method that the buyer adds, with a request that was not answered. */
  unansweredSetup: SentToken | null
  refunded: number
  isDone: boolean
  /** Calls so far, by route and moment. */
  calls: Map<string, number>
}

/** The time between the start and the kill of a process. */
export interface Life {
  isOver: boolean
}

/** What the script of a history runs on. */
export interface Script {
  shop: StripeShop
  rows: HistoryRows
  life: Life
}

export function startHistory(history: KillHistory): LiveHistory {
  return {
    history,
    checkout: null,
    unanswered: null,
    customerId: null,
    setupTokens: [],
    unansweredSetup: null,
    refunded: 0,
    isDone: false,
    calls: new Map(),
  }
}

/** Returns the address of the buyer of a history. */
export const getBuyer = ({ history }: LiveHistory) => `buyer-${history.number}@example.com`
