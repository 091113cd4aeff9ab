import type { BankReceipt } from '@quittance/contracts/bank-receipts'
import type { StatementCredit } from './parse-camt.ts'

/** A receipt that is recorded already. */
export interface RecordedReceipt extends Pick<
  BankReceipt,
  'bank_reference' | 'currency' | 'reference' | 'payer_name' | 'payment_id' | 'source'
> {
  /** Minor units. */
  amount: string
}

/** A credit with the reference under which it is recorded. */
interface IdentifiedCredit {
  credit: StatementCredit
  bankReference: string
  /** Null for a new one. */
  recorded: RecordedReceipt | null
  /** The seller recorded another amount under its reference. */
  isConflict: boolean
}

/**
 * Finds the receipt of each credit of a statement. Several credits of a day may have the same reference of the bank, in any order and not all
 * in every document: they are distinguished by what they contain, and a new one gets a number after the reference.
 */
export function identifyCredits(credits: readonly StatementCredit[], recorded: readonly RecordedReceipt[]): IdentifiedCredit[] {
  const groups = Map.groupBy(credits, ({ bankReference }) => bankReference)
  return [...groups].flatMap(([base, group]) =>
    identifyGroup(group, { base, recorded: recorded.filter((receipt) => hasBase(receipt.bank_reference, base)) }),
  )
}

const hasBase = (reference: string, base: string) =>
  reference === base || (reference.startsWith(`${base}/`) && /^\d+$/.test(reference.slice(base.length + 1)))

const isSameAmount = (credit: StatementCredit, receipt: RecordedReceipt) =>
  BigInt(receipt.amount) === credit.amount && receipt.currency === credit.currency

const isSame = (credit: StatementCredit, receipt: RecordedReceipt) =>
  isSameAmount(credit, receipt) && receipt.reference === credit.text && receipt.payer_name === credit.payerName

/** The most certain matches first. Banks complete the text of a booking later, and the seller records none of it. */
const matches = [isSame, isSameAmount, (_: StatementCredit, receipt: RecordedReceipt) => receipt.source === 'seller']

interface Group {
  base: string
  recorded: readonly RecordedReceipt[]
}

function identifyGroup(credits: readonly StatementCredit[], { base, recorded }: Group): IdentifiedCredit[] {
  const left = new Set(recorded)
  const found = new Map<StatementCredit, RecordedReceipt>()
  for (const isMatch of matches) {
    for (const credit of credits) {
      const receipt = found.has(credit) ? undefined : [...left].find((candidate) => isMatch(credit, candidate))
      if (!receipt) continue
      found.set(credit, receipt)
      left.delete(receipt)
    }
  }
  const used = new Set(recorded.map((receipt) => receipt.bank_reference))
  return credits.map((credit) => {
    const receipt = found.get(credit)
    if (receipt) return { credit, bankReference: receipt.bank_reference, recorded: receipt, isConflict: !isSameAmount(credit, receipt) }
    const bankReference = findFreeReference(base, used)
    used.add(bankReference)
    return { credit, bankReference, recorded: null, isConflict: false }
  })
}

function findFreeReference(base: string, used: ReadonlySet<string>): string {
  if (!used.has(base)) return base
  let number = 2
  while (used.has(`${base}/${number}`)) number += 1
  return `${base}/${number}`
}
