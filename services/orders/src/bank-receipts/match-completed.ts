import { haveCommonContent, isCompletion, toComparable, type ComparableContent } from './compare-texts.ts'
import { spend, type ComparisonBudget } from './comparison-budget.ts'
import { getGroup, listGroups, listPaymentReferences } from './group-credits.ts'
import type { RecordedReceipt } from './find-recorded.ts'
import type { StatementCredit } from './statement-credit.ts'

/** The receipts of the credits of a statement that are found so far, and the receipts that are left. */
export interface Matching {
  credits: readonly StatementCredit[]
  /** What each credit names in the form of a reference of a payment. */
  references: ReadonlyMap<StatementCredit, readonly string[]>
  left: Set<RecordedReceipt>
  found: Map<StatementCredit, RecordedReceipt>
  budget: ComparisonBudget
}

/** Matches a credit with a receipt, which is no other credit then. */
export function take({ left, found }: Matching, credit: StatementCredit, receipt: RecordedReceipt): void {
  found.set(credit, receipt)
  left.delete(receipt)
}

interface Candidate {
  receipt: RecordedReceipt
  content: ComparableContent
  namesPayment: boolean
}

/**
 * Matches credits with receipts whose text or payer the bank has completed, or writes in another form, since.
 *
 * @throws TooManyCredits if there are too many to compare.
 */
export function matchCompleted(matching: Matching): void {
  const { budget } = matching
  const open = matching.credits.filter((credit) => !matching.found.has(credit))
  const groups = new Map<string, Candidate[]>(open.map((credit) => [getGroup(credit), []]))
  for (const receipt of matching.left) {
    const wanted = receipt.source === 'statement' ? listGroups(receipt).filter((group) => groups.has(group)) : []
    if (wanted.length === 0) continue
    const content = toComparable({ payer: receipt.payer_name, text: receipt.reference }, budget)
    const candidate = { receipt, content, namesPayment: listPaymentReferences(receipt).length > 0 }
    for (const group of wanted) groups.get(group)?.push(candidate)
  }
  for (const credit of open) {
    const candidates = groups.get(getGroup(credit)) ?? []
    if (candidates.length === 0) continue
    const own = toComparable({ payer: credit.payerName, text: credit.text }, budget)
    const namesPayment = (matching.references.get(credit) ?? []).length > 0
    const index = candidates.findIndex((each) => {
      spend(budget, 8)
      // Two references of payments have decided.
      if (!matching.left.has(each.receipt) || (namesPayment && each.namesPayment)) return false
      // Where the bank gives no reference, only what both contain shows that they are the same.
      return (credit.hasReference || haveCommonContent(own, each.content)) && isCompletion(own, each.content, budget)
    })
    const [match] = index < 0 ? [] : candidates.splice(index, 1)
    if (match) take(matching, credit, match.receipt)
  }
}
