import type { RecordedReceipt } from './find-recorded.ts'
import { matchReceipts } from './match-receipts.ts'
import type { StatementCredit } from './statement-credit.ts'

/** A credit with the reference under which it is recorded. */
export interface IdentifiedCredit {
  credit: StatementCredit
  bankReference: string
  /** Null for a new one. */
  recorded: RecordedReceipt | null
  /** Another amount is recorded: by the seller under its reference, as the whole of which it is a part, or as its parts. */
  isConflict: boolean
}

/**
 * Finds the receipt of each credit of a statement. Several credits of a day may have the same reference of the bank, or none, in any order and
 * not all in every document: they are distinguished by what they contain, and a new one gets a number after the reference.
 *
 * @throws TooManyCredits if there are too many to compare.
 */
export function identifyCredits(credits: readonly StatementCredit[], recorded: readonly RecordedReceipt[]): IdentifiedCredit[] {
  const found = matchReceipts(credits, recorded)
  const takeReference = createNumbering(recorded)
  return credits.map((credit) => {
    const receipt = found.get(credit)
    if (!receipt) return { credit, bankReference: takeReference(credit.bankReference), recorded: null, isConflict: false }
    const isConflict = BigInt(receipt.amount) !== credit.amount || receipt.currency !== credit.currency
    return { credit, bankReference: receipt.bank_reference, recorded: receipt, isConflict }
  })
}

/** Returns a function that gives each new receipt a reference that no other has: the one of the bank, or that with a number. */
function createNumbering(recorded: readonly RecordedReceipt[]): (base: string) => string {
  const used = new Set(recorded.map((receipt) => receipt.bank_reference))
  const next = new Map<string, number>()
  return (base) => {
    let number = next.get(base) ?? 1
    const format = () => (number === 1 ? base : `${base}/${number}`)
    while (used.has(format())) number += 1
    const reference = format()
    used.add(reference)
    next.set(base, number + 1)
    return reference
  }
}
