import type { AppliedTax } from '@quittance/contracts/taxes'
import type { PrintedDocument, PrintedLine } from '../rendering/printed-document.ts'

export interface RatedLines {
  /** Null for lines on which no tax falls. */
  tax: AppliedTax | null
  taxable: number
  amount: number
  lines: PrintedLine[]
}

type Sums = Pick<PrintedDocument, 'lines' | 'taxes' | 'net'>

/** After so many tries a document is one whose lines cannot be told apart. */
const mostTries = 50_000

/**
 * Which lines are taxed at which rate. A line does not say it; its share of the tax does, and the sums of each rate must be met exactly.
 * Null where no way of sharing the lines out does that, or where several do.
 */
export function linesByRate({ lines, taxes, net }: Sums): RatedLines[] | null {
  const rates: RatedLines[] = taxes.map((tax) => ({ tax, taxable: tax.taxable_amount, amount: tax.amount, lines: [] }))
  const untaxed = net - sum(rates.map(({ taxable }) => taxable))
  if (untaxed !== 0 || rates.length === 0) rates.push({ tax: null, taxable: untaxed, amount: 0, lines: [] })
  const found = onlyAssignment(lines, rates)
  if (!found) return null
  for (const [index, line] of lines.entries()) rates[found[index] as number]?.lines.push(line)
  return rates.filter((rate) => rate.lines.length > 0)
}

function onlyAssignment(lines: readonly PrintedLine[], rates: readonly RatedLines[]): number[] | null {
  const left = rates.map(({ taxable, amount }) => ({ taxable, amount }))
  const choices = lines.map((line) => rates.flatMap((rate, index) => (rates.length === 1 || mayBeOf(line, rate) ? [index] : [])))
  const current: number[] = []
  const found: number[][] = []
  let tries = 0
  const place = (position: number): void => {
    const line = lines[position]
    if (!line) {
      if (left.every(({ taxable, amount }) => taxable === 0 && amount === 0)) found.push([...current])
      return
    }
    for (const choice of choices[position] ?? []) {
      const rest = left[choice]
      if (!rest || found.length > 1 || ++tries > mostTries) return
      rest.taxable -= netOf(line)
      rest.amount -= line.tax
      current[position] = choice
      place(position + 1)
      rest.taxable += netOf(line)
      rest.amount += line.tax
    }
  }
  place(0)
  return found.length === 1 && tries <= mostTries ? (found[0] ?? null) : null
}

/** Shares of a rate's tax are cut down or up to the next minor unit, so none is a whole one away from what is exact. */
function mayBeOf(line: PrintedLine, { taxable, amount }: RatedLines): boolean {
  if (taxable === 0) return true
  return Math.abs(line.tax - (netOf(line) * amount) / taxable) < 1
}

export function netOf(line: Pick<PrintedLine, 'amount' | 'discount'>): number {
  return line.amount - line.discount
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
