import type { AppliedTax } from '@quittance/contracts/taxes'
import type { DocumentModel, DocumentLine } from '../rendering/document-model.ts'

export interface RatedLines {
  /** Null for untaxed lines. */
  tax: AppliedTax | null
  taxable: number
  amount: number
  lines: DocumentLine[]
}

type Sums = Pick<DocumentModel, 'lines' | 'taxes' | 'net'>

/** Search limits. Beyond them, the rates of the lines count as ambiguous. */
const maxSearchSteps = 50_000
const maxSearchedLines = 500

/**
 * Returns the lines of each tax rate. Lines of earlier releases do not name their rate: it is derived from their share of the tax, and the
 * sums of each rate must match exactly. Returns null if no assignment matches or several do.
 */
export function linesByRate({ lines, taxes, net }: Sums): RatedLines[] | null {
  const rates: RatedLines[] = taxes.map((tax) => ({ tax, taxable: tax.taxable_amount, amount: tax.amount, lines: [] }))
  const untaxed = net - sum(rates.map(({ taxable }) => taxable))
  if (untaxed !== 0 || rates.length === 0) rates.push({ tax: null, taxable: untaxed, amount: 0, lines: [] })
  const found = findNamedAssignment(lines, rates) ?? findUniqueAssignment(lines, rates)
  if (!found) return null
  for (const [index, line] of lines.entries()) rates[found[index] as number]?.lines.push(line)
  return rates.filter((rate) => rate.lines.length > 0)
}

/** Returns the rate of each line if all name theirs or there is only one; null otherwise. */
function findNamedAssignment(lines: readonly DocumentLine[], rates: readonly RatedLines[]): number[] | null {
  const untaxed = rates.findIndex(({ tax }) => tax === null)
  const named = lines.map(({ taxPosition }) =>
    rates.length === 1 ? 0 : taxPosition === 0 ? untaxed : taxPosition === undefined ? -1 : taxPosition - 1,
  )
  const totals = rates.map(() => ({ taxable: 0, amount: 0 }))
  for (const [index, line] of lines.entries()) {
    const total = totals[named[index] ?? -1]
    if (!total) return null
    total.taxable += netAmount(line)
    total.amount += line.tax
  }
  return totals.every(({ taxable, amount }, index) => taxable === rates[index]?.taxable && amount === rates[index]?.amount) ? named : null
}

function findUniqueAssignment(lines: readonly DocumentLine[], rates: readonly RatedLines[]): number[] | null {
  if (lines.length > maxSearchedLines || rates.length === 1) return null
  const remaining = rates.map(({ taxable, amount }) => ({ taxable, amount }))
  const choices = lines.map((line) => rates.flatMap((rate, index) => (canHaveRate(line, rate) ? [index] : [])))
  const current: number[] = []
  const found: number[][] = []
  let steps = 0
  const place = (position: number): void => {
    const line = lines[position]
    if (!line) {
      if (remaining.every(({ taxable, amount }) => taxable === 0 && amount === 0)) found.push([...current])
      return
    }
    for (const choice of choices[position] ?? []) {
      const rest = remaining[choice]
      if (!rest || found.length > 1 || ++steps > maxSearchSteps) return
      rest.taxable -= netAmount(line)
      rest.amount -= line.tax
      current[position] = choice
      place(position + 1)
      rest.taxable += netAmount(line)
      rest.amount += line.tax
    }
  }
  place(0)
  return found.length === 1 && steps <= maxSearchSteps ? (found[0] ?? null) : null
}

/** Shares of a rate's tax are rounded down or up to the next minor unit, so each differs from the exact value by less than one unit. */
function canHaveRate(line: DocumentLine, { taxable, amount }: RatedLines): boolean {
  if (taxable === 0) return true
  return Math.abs(line.tax - (netAmount(line) * amount) / taxable) < 1
}

export function netAmount(line: Pick<DocumentLine, 'amount' | 'discount'>): number {
  return line.amount - line.discount
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
