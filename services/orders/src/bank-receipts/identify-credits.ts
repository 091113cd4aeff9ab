import type { BankReceipt } from '@quittance/contracts/bank-receipts'
import { extractReferences } from './find-payments.ts'
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
  const byBase = indexByBase(recorded)
  const left = new Set(recorded)
  const found = new Map<StatementCredit, RecordedReceipt>()
  for (const isMatch of matches) {
    for (const credit of credits) {
      if (found.has(credit)) continue
      const receipt = byBase.get(credit.bankReference)?.find((candidate) => left.has(candidate) && isMatch(credit, candidate))
      if (!receipt) continue
      found.set(credit, receipt)
      left.delete(receipt)
    }
  }
  const used = new Set(recorded.map((receipt) => receipt.bank_reference))
  return credits.map((credit) => {
    const receipt = found.get(credit)
    if (receipt) return { credit, bankReference: receipt.bank_reference, recorded: receipt, isConflict: !isSameAmount(credit, receipt) }
    const bankReference = findFreeReference(credit.bankReference, used)
    used.add(bankReference)
    return { credit, bankReference, recorded: null, isConflict: false }
  })
}

/** Lists receipts under the reference that they have, and under the one to which a number was added. */
function indexByBase(recorded: readonly RecordedReceipt[]): Map<string, RecordedReceipt[]> {
  const index = new Map<string, RecordedReceipt[]>()
  for (const receipt of recorded) {
    const { bank_reference: reference } = receipt
    for (const base of new Set([reference, reference.replace(/\/\d+$/, '')])) {
      const listed = index.get(base)
      if (listed) listed.push(receipt)
      else index.set(base, [receipt])
    }
  }
  return index
}

const isSameAmount = (credit: StatementCredit, receipt: RecordedReceipt) =>
  BigInt(receipt.amount) === credit.amount && receipt.currency === credit.currency

const isSame = (credit: StatementCredit, receipt: RecordedReceipt) =>
  isSameAmount(credit, receipt) && receipt.reference === credit.text && receipt.payer_name === credit.payerName

/**
 * Whether a credit can be one of an earlier statement whose text or payer the bank has completed, or writes in another form, since. The
 * reference of a payment decides, if both have one.
 */
function isCompleted(credit: StatementCredit, receipt: RecordedReceipt): boolean {
  if (receipt.source !== 'statement' || !isSameAmount(credit, receipt)) return false
  const [named, known] = [extractReferences(credit.text), extractReferences(receipt.reference)]
  if (named.length > 0 && known.length > 0) return named.some((each) => known.includes(each))
  return isExtension(credit.payerName, receipt.payer_name) && isExtension(credit.text, receipt.reference)
}

/** Whether one of two texts contains the other, or its words in any order. Case, accents, punctuation and spaces are not compared. */
function isExtension(one: string | null, other: string | null): boolean {
  const [a, b] = [toWords(one), toWords(other)]
  const [text, extended] = [a.join(''), b.join('')]
  return extended.includes(text) || text.includes(extended) || a.every((word) => b.includes(word)) || b.every((word) => a.includes(word))
}

function toWords(text: string | null): string[] {
  const plain = (text ?? '').normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase()
  return plain.match(/[\p{L}\p{N}]+/gu) ?? []
}

const isBySeller = (_: StatementCredit, receipt: RecordedReceipt) => receipt.source === 'seller'

/**
 * The most certain matches first. Banks complete the text of a booking later, and the seller records none of it. A credit with another payer or
 * text is another one: it may be in the next document of the day, under the same reference of the bank.
 */
const matches = [
  isSame,
  isCompleted,
  (credit: StatementCredit, receipt: RecordedReceipt) => isBySeller(credit, receipt) && isSameAmount(credit, receipt),
  isBySeller,
]

function findFreeReference(base: string, used: ReadonlySet<string>): string {
  if (!used.has(base)) return base
  let number = 2
  while (used.has(`${base}/${number}`)) number += 1
  return `${base}/${number}`
}
