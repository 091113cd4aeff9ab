import { extractReferences } from './find-payments.ts'
import type { RecordedReceipt } from './find-recorded.ts'
import { digestedReference, type StatementCredit } from './statement-credit.ts'

/**
 * Returns the group of a credit: those of the same reference of the bank, amount and currency. Those without a reference are of one group for
 * each day: the bank may complete everything else of them.
 */
export function getGroup({ hasReference, bankReference, bookedOn, amount, currency }: StatementCredit): string {
  return formatGroup(hasReference ? bankReference : formatUnnamed(bookedOn), { amount, currency })
}

/** Returns the groups to whose credits a receipt can belong. */
export function listGroups(receipt: RecordedReceipt): string[] {
  const [, day] = digested.exec(receipt.bank_reference) ?? []
  return [...listBases(receipt), ...(day ? [formatUnnamed(day)] : [])].map((base) => formatGroup(base, receipt))
}

/** Returns the reference of a receipt, and the one to which a number was added, if it was. */
export function listBases({ bank_reference: reference }: RecordedReceipt): string[] {
  return [...new Set([reference, reference.replace(/\/\d+$/, '')])]
}

/** Returns the references of payments that a receipt names. One without payer and text, assigned by a person, is of its payment alone. */
export function listPaymentReferences(receipt: RecordedReceipt): string[] {
  const isEmpty = receipt.reference === null && receipt.payer_name === null
  return isEmpty && receipt.payment_reference !== null ? [receipt.payment_reference] : extractReferences(receipt.reference)
}

const digested = new RegExp(digestedReference)

/** No reference of a bank is empty. */
const formatUnnamed = (day: string) => `${day}/`

function formatGroup(base: string, { amount, currency }: { amount: bigint | string; currency: string }): string {
  return `${base} ${amount} ${currency}`
}
