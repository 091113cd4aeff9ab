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
