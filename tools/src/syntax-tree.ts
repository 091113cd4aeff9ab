import { parseSync } from 'oxc-parser'

/** A node of the syntax tree of a TypeScript file; positions are UTF-16 offsets. */
export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** Returns the tree of a file, also of one with errors. */
export function parseSource(file: string, source: string): Node {
  return parseSync(file, source).program as unknown as Node
}

/** Visits a node and everything in it, from the outside to the inside; `parents` are the nodes around it, the outermost first. */
export function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => void, parents: readonly Node[] = []): void {
  visit(node, parents)
  const inside = [...parents, node]
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child) walk(child as Node, visit, inside)
    }
  }
}

/** Returns the name of an identifier; of any other node an empty text. */
export function readName(node: unknown): string {
  const name = (node as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : ''
}
