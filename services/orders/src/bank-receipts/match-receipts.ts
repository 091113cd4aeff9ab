import { spend, startComparisons } from './comparison-budget.ts'
import { extractReferences } from './find-payments.ts'
import { getGroup, listBases, listGroups, listPaymentReferences } from './group-credits.ts'
import type { RecordedReceipt } from './find-recorded.ts'
import { matchCompleted, take, type Matching } from './match-completed.ts'
import type { StatementCredit } from './parse-camt.ts'

/**
 * Matches each credit with the receipt that it is, the most certain matches first. Banks complete the text of a booking later, and the seller
 * records none of it. A credit with another payer or text is another one: it may be in the next document of the day, under the same reference
 * of the bank.
 *
 * @throws TooManyCredits if there are too many to compare.
 */
export function matchReceipts(
  credits: readonly StatementCredit[],
  recorded: readonly RecordedReceipt[],
): ReadonlyMap<StatementCredit, RecordedReceipt> {
  const matching: Matching = { credits, left: new Set(recorded), found: new Map(), budget: startComparisons() }
  matchByKeys(matching, byContent)
  matchByKeys(matching, byPayment)
  matchCompleted(matching)
  matchByKeys(matching, bySellerAndAmount)
  matchByKeys(matching, bySeller)
  return matching.found
}

/** A credit and a receipt with a key in common match. */
interface Keys {
  ofCredit: (credit: StatementCredit) => string[]
  ofReceipt: (receipt: RecordedReceipt) => string[]
  /** What a character of the text adds to the cost of the keys. */
  characterCost: number
}

const byContent: Keys = {
  ofCredit: (credit) => [JSON.stringify([getGroup(credit), credit.text, credit.payerName])],
  ofReceipt: (receipt) => listGroups(receipt).map((group) => JSON.stringify([group, receipt.reference, receipt.payer_name])),
  characterCost: 2,
}

/** The reference of a payment decides, if both have one. */
const byPayment: Keys = {
  ofCredit: (credit) => extractReferences(credit.text).map((reference) => `${getGroup(credit)} ${reference}`),
  ofReceipt: (receipt) =>
    receipt.source === 'statement'
      ? listGroups(receipt).flatMap((group) => listPaymentReferences(receipt).map((reference) => `${group} ${reference}`))
      : [],
  characterCost: 4,
}

const bySellerAndAmount: Keys = {
  ofCredit: (credit) => [getGroup(credit)],
  ofReceipt: (receipt) => (receipt.source === 'seller' ? listGroups(receipt) : []),
  characterCost: 0,
}

const bySeller: Keys = {
  ofCredit: (credit) => [credit.bankReference],
  ofReceipt: (receipt) => (receipt.source === 'seller' ? listBases(receipt) : []),
  characterCost: 0,
}

const keyCost = 100

function matchByKeys(matching: Matching, { ofCredit, ofReceipt, characterCost }: Keys): void {
  const index = new Map<string, RecordedReceipt[]>()
  // The end of a list is taken first.
  for (const receipt of [...matching.left].toReversed()) {
    spend(matching.budget, characterCost * (receipt.reference?.length ?? 0))
    for (const key of ofReceipt(receipt)) {
      spend(matching.budget, keyCost)
      const listed = index.get(key)
      if (listed) listed.push(receipt)
      else index.set(key, [receipt])
    }
  }
  for (const credit of matching.credits) {
    if (matching.found.has(credit)) continue
    for (const key of ofCredit(credit)) {
      spend(matching.budget, keyCost)
      const receipts = index.get(key) ?? []
      let receipt = receipts.pop()
      while (receipt && !matching.left.has(receipt)) receipt = receipts.pop()
      if (!receipt) continue
      take(matching, credit, receipt)
      break
    }
  }
}
