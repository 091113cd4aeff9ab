import type { AppliedTax } from '@quittance/contracts/taxes'
import type { DocumentModel, DocumentLine } from '../../src/rendering/document-model.ts'
import { aLine, anElectronicDocument, aTax } from '../electronic-document.ts'

/** Returns a generator of numbers from 0 to 1 that is deterministic for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const percentages = [0, 5, 7, 8.1, 8.875, 10, 19, 20, 23, 25.5]
const currencies = ['eur', 'usd', 'pln', 'jpy', 'huf']

/** Builds an order as `orders` computes it: tax rounded once per rate and distributed over its lines, net or gross prices, any discount. */
export function randomDocument(random: () => number): DocumentModel {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const upTo = (limit: number) => Math.floor(random() * limit)
  const isInclusive = random() < 0.5
  const rates = [...new Set(Array.from({ length: pick([0, 1, 1, 1, 2, 3]) }, () => pick(percentages)))]
  const isReverseCharge = rates.length === 1 && random() < 0.2
  const off = random() < 0.5 ? 0 : random() < 0.1 ? 1 : random()
  const lines: DocumentLine[] = []
  const taxes: AppliedTax[] = []
  for (const percentage of rates.length ? rates : [null]) {
    const own = Array.from({ length: 1 + upTo(4) }, () => {
      const amount = random() < 0.15 ? -upTo(5000) : upTo(random() < 0.1 ? 99_999_999 : 200_000)
      return aLine({ label: `Part ${upTo(1000)}`, amount, discount: amount > 0 ? Math.round(amount * off) : 0, proration: amount < 0 })
    })
    const net = sum(own.map((line) => line.amount - line.discount))
    const rate = isReverseCharge ? 0 : (percentage ?? 0)
    const onTop = rounded((net * rate) / 100)
    // The tax in a gross price may differ by one unit from the tax computed from its net amount.
    const within = [-1, 0, 1].map((off) => onTop + off).filter((each) => rounded(((net + each) * rate) / (100 + rate)) === each)
    const tax = isInclusive && net !== 0 ? pick(within) : onTop
    shareOut(own, { net, tax })
    lines.push(...own)
    if (percentage !== null) taxes.push(aTax({ percentage, reverse_charge: isReverseCharge, taxable_amount: net, amount: tax }))
  }
  const [subtotal, discount, tax] = [sum(lines.map((l) => l.amount)), sum(lines.map((l) => l.discount)), sum(lines.map((l) => l.tax))]
  const isCreditNote = random() < 0.3
  return anElectronicDocument({
    lines,
    taxes,
    subtotal,
    discount,
    net: subtotal - discount,
    tax,
    total: subtotal - discount + tax,
    currency: pick(currencies),
    taxBehavior: isInclusive ? 'inclusive' : 'exclusive',
    ...(isCreditNote && {
      kind: 'credit_note' as const,
      paidAt: null,
      refersTo: { number: 'N-1', issuedAt: new Date('2026-10-01T00:00:00Z') },
    }),
  })
}

function shareOut(lines: DocumentLine[], { net, tax }: { net: number; tax: number }): void {
  const exact = lines.map((line) => (net === 0 ? 0 : (tax * (line.amount - line.discount)) / net))
  for (const [index, line] of lines.entries()) line.tax = Math.floor(exact[index] as number)
  const byRest = lines.map((_, index) => index).toSorted((a, b) => rest(exact[b]) - rest(exact[a]))
  const left = tax - sum(lines.map((line) => line.tax))
  for (const index of byRest.slice(0, left)) (lines[index] as DocumentLine).tax += 1
}

function rest(value = 0): number {
  return value - Math.floor(value)
}

function rounded(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value))
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
