import { prorate, type ProrationPoint } from './billing-period.ts'
import { computeCreditRoom, type ReturnableOrder } from './returnable.ts'

/** A pending charge or credit of a product change, at advertised prices. */
export interface PendingProration {
  amount: bigint
  productPriceId?: string | null | undefined
  /** Order that paid for the credited time; null for a charge, and for the reversal of a charge that was still pending. */
  creditedOrderId?: string | null | undefined
}

/** Time of the previous product that a change leaves unused. Amounts are at advertised prices, after discount. */
export interface UnusedTime {
  period: ProrationPoint
  /** What the current period cost with the previous product. */
  periodAmount: bigint
  /** Order that billed the previous product, paid; null if its charge is still pending. */
  billedBy: ReturnableOrder | null
}

/**
 * Computes the credit for the unused time of the previous product: in proportion, and at most what was paid for it and neither refunded nor
 * credited. A charge that is still pending is reversed in proportion.
 */
export function computeUnusedCredit({ period, periodAmount, billedBy }: UnusedTime): bigint {
  const unused = prorate(periodAmount, period)
  if (!billedBy) return unused
  const room = computeCreditRoom(billedBy)
  return unused < room ? unused : room
}

/** Returns whether the charge of the product with this price is pending, because an earlier change of the period is not billed yet. */
export function isChargePending(pending: readonly PendingProration[], productPriceId: string): boolean {
  return pending.some((each) => each.amount > 0n && each.productPriceId === productPriceId && !each.creditedOrderId)
}

/** Returns the credits of earlier orders that an order uses up if it bills these prorations and carries over `credit`, zero or less. */
export function computeCreditUsed(pending: readonly PendingProration[], credit = 0n): bigint {
  return pending.reduce((used, { amount, creditedOrderId }) => (creditedOrderId ? used - amount : used), credit)
}

/** Credits that the order of a change has used up, at advertised prices. Zero or more. */
export interface UsedCredit {
  /** Credit for unused time that the change recorded on the order before. */
  own: bigint
  /** What is recorded there now: a refund may have taken credit back since. */
  credited: bigint
  /** Credits from before the change. */
  earlier: bigint
  /** What the order uses up now. */
  used: bigint
}

/**
 * Computes the credit that is taken back from the order before when a change is undone. `refunded` is what refunds took of earlier credits since:
 * it is owed, so that as much credit is left as orders have recorded.
 */
export function undoCredit({ own, credited, earlier, used }: UsedCredit): { takenBack: bigint; refunded: bigint } {
  const takenBack = [credited, used].reduce((least, each) => (each < least ? each : least), own)
  return { takenBack, refunded: earlier + takenBack - used }
}

/** Prorations that remain when a subscription ends: billed together if anything is owed, otherwise a credit, zero or more. */
export type FinalSettlement = { kind: 'bill'; amount: bigint } | { kind: 'release'; credit: bigint }

export function settleFinally(pending: readonly PendingProration[]): FinalSettlement {
  const owed = pending.reduce((sum, { amount }) => sum + amount, 0n)
  return owed > 0n ? { kind: 'bill', amount: owed } : { kind: 'release', credit: -owed }
}
