/** Comparing the credits of a statement with the recorded receipts would take too long. */
export class TooManyCredits extends Error {
  constructor() {
    super('It has too many credits to compare with others of the same day and reference.')
  }
}

/** What one import may still compare, in units of about 5 ns. Other requests wait for that time. */
export interface ComparisonBudget {
  left: number
}

/** Returns a budget for 0.1 s: 500,000 pairs with short texts, or all pairs of 300 credits and receipts with texts of 100 characters. */
export function startComparisons(): ComparisonBudget {
  return { left: 20_000_000 }
}

/** @throws TooManyCredits if less is left. */
export function spend(budget: ComparisonBudget, cost: number): void {
  budget.left -= cost
  if (budget.left < 0) throw new TooManyCredits()
}
