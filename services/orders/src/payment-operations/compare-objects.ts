import type { ReconciledDifference } from '@quittance/contracts/payment-operations'
import { compareFacts, expectFacts, formatMoney } from '../payments/check-integrity.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'
import type { Money, Seen, SeenRefund } from '../providers/provider.ts'

/** A payment or refund as it is compared with its object at the provider. */
export interface ReconciledRow {
  object: ReconciledDifference['object']
  id: string
  /** The provider's id of the object; null until an answer named it. */
  theirs: string | null
  money: Money
  state: string
  /** Made in the dashboard of the provider, so that the metadata has no id. */
  isFound: boolean
  /** The row is driven, or has changed since the comparison began: the object may be older or newer than the row. */
  isChanging: boolean
}

/** An object as the provider reports it. `seen` is null if its state is not one that is expected. */
export interface ReconciledObject {
  theirs: string
  seen: Seen | SeenRefund | null
}

/** Returns each difference between a row and its object. Pure. */
export function compareRow(
  row: ReconciledRow,
  { theirs, seen }: ReconciledObject,
  account: Pick<ProviderAccount, 'providerAccount' | 'mode'>,
): ReconciledDifference[] {
  const about = { object: row.object, id: row.id, provider_id: theirs }
  if (!seen) return [{ ...about, what: 'outcome', at_provider: 'not readable', here: row.state }]
  const expected = expectFacts(row, { id: row.id, account })
  const facts = compareFacts(row.isFound ? { ...expected, ours: seen.ours } : expected, seen)
  const differences = facts.map((each) => ({ ...about, what: each.name, at_provider: each.theirs, here: each.ours }))
  if (toOutcome(row.object, seen.is) === toOutcome(row.object, row.state)) return differences
  return [...differences, { ...about, what: 'outcome', at_provider: seen.is, here: row.state }]
}

/** A payment fails once its object is canceled. What is neither is open, whatever it waits for. */
function toOutcome(object: ReconciledRow['object'], state: string): string {
  if (state === 'succeeded') return state
  if (state !== 'failed' && state !== 'canceled') return 'open'
  return object === 'payment' ? 'failed' : state
}

/** Returns the difference of an object of this installation that no row has. Pure. */
export function createMissingRow(object: ReconciledRow['object'], { theirs, seen }: ReconciledObject): ReconciledDifference {
  const value = seen ? [seen.is, formatMoney(seen.money)].filter(Boolean).join(' ') : 'not readable'
  return { object, id: null, provider_id: theirs, what: 'missing here', at_provider: value, here: null }
}

/** Returns the difference of a row whose object the provider does not know. Pure. */
export function createMissingObject({ object, id, theirs, state, money }: ReconciledRow): ReconciledDifference {
  return { object, id, provider_id: theirs, what: 'missing at the provider', at_provider: null, here: `${state} ${formatMoney(money)}` }
}
