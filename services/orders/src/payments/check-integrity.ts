import type { ProviderAccount } from '../providers/provider-of.ts'
import type { Facts, Mode, Money } from '../providers/provider.ts'
import type { PaymentProgress } from './payment-progress.ts'

/** What an object at the provider must be to belong to a row. */
export interface ExpectedFacts {
  /** Null for an object that was made elsewhere. */
  ours: string | null
  /** Null until the object is known. */
  theirs: string | null
  account: string
  mode: Mode
  money: Money | null
}

/** Returns what the object of a payment must be. */
export function expectFacts(
  { theirs, money }: Pick<PaymentProgress, 'theirs' | 'money'>,
  { id, account }: { id: string; account: Pick<ProviderAccount, 'providerAccount' | 'mode'> },
): ExpectedFacts {
  return { ours: id, theirs, money, account: account.providerAccount, mode: account.mode }
}

/** A value that differs between a row and its object at the provider. */
export interface FactDifference {
  name: string
  ours: string | null
  theirs: string | null
}

/**
 * Compares what the provider reports with the row. Returns each difference with both values; an object with one settles nothing. Money is
 * received in full or not at all.
 */
export function compareFacts(expected: ExpectedFacts, seen: Facts & { is: string }): FactDifference[] {
  const compared: [string, string | null, string | null][] = [
    ['our id', expected.ours, seen.ours],
    ['account', expected.account, seen.account],
    ['mode', expected.mode, seen.mode],
    ['amount', formatMoney(expected.money), formatMoney(seen.money)],
  ]
  if (expected.theirs !== null) compared.push(['id', expected.theirs, seen.theirs])
  if (seen.is === 'succeeded' && expected.money) compared.push(['received', formatMoney(expected.money), formatMoney(seen.received)])
  return compared.filter(([, ours, theirs]) => ours !== theirs).map(([name, ours, theirs]) => ({ name, ours, theirs }))
}

/** Returns each difference of `compareFacts` as a phrase with both values. */
export function findDifferences(expected: ExpectedFacts, seen: Facts & { is: string }): string[] {
  return compareFacts(expected, seen).map(({ name, ours, theirs }) => `${name} is ${theirs}, not ${ours}`)
}

/** Returns an amount in minor units with its currency: `4200 usd`. */
export function formatMoney(money: Money | null): string | null {
  return money && `${money.amount} ${money.currency}`
}
