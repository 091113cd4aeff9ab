/** What a line of a product change is for: `unused` credits the product before, `remaining` charges the one after it. */
export type ProrationKind = 'unused' | 'remaining'

const beginnings: Readonly<Record<ProrationKind, string>> = { unused: 'Unused time of ', remaining: 'Remaining time of ' }

/** Returns the label of a line for the rest of a period. */
export function formatProrationLabel(kind: ProrationKind, product: string): string {
  return beginnings[kind] + product
}

/** Reads a label that `formatProrationLabel` wrote, so that pages can show it in another language; null for any other. */
export function parseProrationLabel(label: string): { kind: ProrationKind; product: string } | null {
  for (const kind of ['unused', 'remaining'] as const)
    if (label.startsWith(beginnings[kind])) return { kind, product: label.slice(beginnings[kind].length) }
  return null
}

/**
 * What another prorated line is for: `creditLeft` and `chargeLeft` leave an amount for the next order, `credit` takes such a credit, and
 * `earlierChanges` is the sum of the changes that an order cannot list.
 */
export type AdjustmentKind = 'creditLeft' | 'chargeLeft' | 'credit' | 'earlierChanges'

const adjustmentLabels: Readonly<Record<AdjustmentKind, string>> = {
  creditLeft: 'Credit carried over to the next order',
  chargeLeft: 'Carried over to the next order',
  credit: 'Credit',
  earlierChanges: 'Earlier changes of the product',
}

/** Returns the label of a prorated line that names no product. */
export function formatAdjustmentLabel(kind: AdjustmentKind): string {
  return adjustmentLabels[kind]
}

/** Reads a label that `formatAdjustmentLabel` wrote; null for any other. */
export function parseAdjustmentLabel(label: string): AdjustmentKind | null {
  return (Object.keys(adjustmentLabels) as AdjustmentKind[]).find((kind) => adjustmentLabels[kind] === label) ?? null
}
