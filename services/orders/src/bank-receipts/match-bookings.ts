import { spend } from './comparison-budget.ts'
import { extractReferences } from './find-payments.ts'
import { listBases } from './group-credits.ts'
import type { RecordedReceipt } from './find-recorded.ts'
import { take, type Matching } from './match-completed.ts'
import { joinPayers, type StatementCredit } from './statement-credit.ts'

/**
 * Matches the parts of a booking with a receipt that has all of it, and a booking with the receipts of its parts: banks leave the details out of
 * some documents. The amounts differ, so they are reported as conflicts.
 *
 * @throws TooManyCredits if there are too many to compare.
 */
export function matchBookings(matching: Matching): void {
  const open = matching.credits.filter((credit) => !matching.found.has(credit))
  const recorded = findRecorded(matching, open)
  matchParts(matching, { open, recorded })
  matchWholes(matching, { open, recorded })
}

interface Open {
  open: readonly StatementCredit[]
  /** Receipts by reference of the bank and currency, in the order of their numbers. */
  recorded: ReadonlyMap<string, readonly RecordedReceipt[]>
}

const receiptCost = 100

function findRecorded({ left, budget }: Matching, open: readonly StatementCredit[]): Open['recorded'] {
  const found = new Map<string, RecordedReceipt[]>()
  for (const { bankReference, hasReference, booking, currency } of open) {
    if (hasReference) found.set(formatKey(bankReference, currency), [])
    if (booking) found.set(formatKey(booking.bankReference, booking.currency), [])
  }
  for (const receipt of found.size > 0 ? left : []) {
    spend(budget, receiptCost)
    for (const base of listBases(receipt)) found.get(formatKey(base, receipt.currency))?.push(receipt)
  }
  const readNumber = (receipt: RecordedReceipt) => Number(/\/(\d+)$/.exec(receipt.bank_reference)?.[1] ?? 1)
  for (const receipts of found.values()) receipts.sort((one, other) => readNumber(one) - readNumber(other))
  return found
}

const formatKey = (reference: string, currency: string) => `${reference} ${currency}`

function matchParts(matching: Matching, { open, recorded }: Open): void {
  for (const [booking, unknown] of Map.groupBy(open, (credit) => credit.booking)) {
    if (!booking) continue
    const receipts = recorded.get(formatKey(booking.bankReference, booking.currency)) ?? []
    spend(matching.budget, stepCost * receipts.length)
    const wholes = receipts.filter((receipt) => matching.left.has(receipt) && BigInt(receipt.amount) === booking.amount)
    if (wholes.length === 0) continue
    const parts = matching.credits.filter((credit) => credit.booking === booking).map((part) => readCredit(matching, part))
    spend(matching.budget, stepCost * matching.credits.length)
    // The seller entered no details.
    const whole = wholes.find((receipt) => receipt.source === 'seller' || isWhole(readReceipt(matching, receipt), parts))
    if (whole) for (const part of unknown) take(matching, part, whole)
  }
}

function matchWholes(matching: Matching, { open, recorded }: Open): void {
  for (const credit of open) {
    if (!credit.hasReference || matching.found.has(credit)) continue
    const receipts = recorded.get(formatKey(credit.bankReference, credit.currency)) ?? []
    spend(matching.budget, stepCost * receipts.length)
    const smaller = receipts.filter((receipt) => matching.left.has(receipt) && BigInt(receipt.amount) < credit.amount)
    for (const receipt of findParts(matching, { credit, smaller }).toReversed()) take(matching, credit, receipt)
  }
}

const stepCost = 40

/** Finds receipts in a row, as one import records them, that are a booking together. */
function findParts(
  matching: Matching,
  { credit, smaller }: { credit: StatementCredit; smaller: readonly RecordedReceipt[] },
): readonly RecordedReceipt[] {
  let [start, sum] = [0, 0n]
  for (const [index, { amount }] of smaller.entries()) {
    sum += BigInt(amount)
    while (sum > credit.amount) sum -= BigInt(smaller[start++]?.amount ?? 0)
    if (sum !== credit.amount) continue
    const parts = smaller.slice(start, index + 1)
    const contents = parts.map((part) => readReceipt(matching, part))
    if (isWhole(readCredit(matching, credit), contents)) return parts
  }
  return []
}

interface Content {
  payer: string | null
  references: readonly string[]
}

const readCredit = ({ references }: Matching, credit: StatementCredit): Content => ({
  payer: credit.payerName,
  references: references.get(credit) ?? [],
})

function readReceipt({ budget }: Matching, { reference, payer_name: payer }: RecordedReceipt): Content {
  spend(budget, receiptCost + 4 * (reference?.length ?? 0))
  return { payer, references: extractReferences(reference) }
}

/** A whole without details names nothing; what it names is named by its parts. */
function isWhole({ payer, references }: Content, parts: readonly Content[]): boolean {
  const named = new Set(parts.flatMap((part) => part.references))
  return references.every((reference) => named.has(reference)) && (payer === null || payer === joinPayers(parts.map((part) => part.payer)))
}
