import { spend, startComparisons } from './comparison-budget.ts'
import { extractReferences } from './find-payments.ts'
import { getGroup, listBases, listGroups, listPaymentReferences } from './group-credits.ts'
import type { RecordedReceipt } from './find-recorded.ts'
import { matchBookings } from './match-bookings.ts'
import { matchCompleted, take, type Matching } from './match-completed.ts'
import type { StatementCredit } from './statement-credit.ts'

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
  const references = new Map(credits.map((credit) => [credit, extractReferences(credit.text)]))
  const matching: Matching = { credits, references, left: new Set(recorded), found: new Map(), budget: startComparisons() }
  matchByKeys(matching, byContent)
  matchByKeys(matching, byPayment)
  matchCompleted(matching)
  for (const keys of bySellerAndAmount) matchByKeys(matching, keys)
  matchBookings(matching)
  for (const keys of bySeller) matchByKeys(matching, keys)
  return matching.found
}

/** A credit and a receipt with a key in common match. */
interface Keys {
  ofCredit: (credit: StatementCredit, references: readonly string[]) => string[]
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
  ofCredit: (credit, references) => references.map((reference) => `${getGroup(credit)} ${reference}`),
  ofReceipt: (receipt) =>
    receipt.source === 'statement'
      ? listGroups(receipt).flatMap((group) => listPaymentReferences(receipt).map((reference) => `${group} ${reference}`))
      : [],
  characterCost: 4,
}

/** Returns keys of credits and of receipts of the seller. */
type SellerKeys = Pick<Keys, 'ofCredit' | 'ofReceipt'>

const sameAmount: SellerKeys = { ofCredit: (credit) => [getGroup(credit)], ofReceipt: listGroups }
const anyAmount: SellerKeys = { ofCredit: (credit) => [credit.bankReference], ofReceipt: listBases }

/** Credits that name the payment for which the seller recorded the money. */
const namesPayment = ({ ofCredit, ofReceipt }: SellerKeys): SellerKeys => ({
  ofCredit: (credit, references) => references.flatMap((reference) => addReference(ofCredit(credit, references), reference)),
  ofReceipt: (receipt) => (receipt.payment_reference ? addReference(ofReceipt(receipt), receipt.payment_reference) : []),
})

const addReference = (keys: readonly string[], reference: string) => keys.map((key) => `${key} ${reference}`)

function ofSeller({ ofCredit, ofReceipt }: SellerKeys): Keys {
  return { ofCredit, ofReceipt: (receipt) => (receipt.source === 'seller' ? ofReceipt(receipt) : []), characterCost: 0 }
}

const namesNone = ({ ofCredit, ofReceipt }: SellerKeys): SellerKeys => ({
  ofCredit: (credit, references) => (references.length === 0 ? ofCredit(credit, references) : []),
  ofReceipt,
})

const bySellerAndAmount = [namesPayment(sameAmount), namesNone(sameAmount)].map(ofSeller)

/** A credit that names another payment comes last: it is that one unless no other can be. */
const bySeller = [namesPayment(anyAmount), sameAmount, namesNone(anyAmount), anyAmount].map(ofSeller)

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
    for (const key of ofCredit(credit, matching.references.get(credit) ?? [])) {
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
