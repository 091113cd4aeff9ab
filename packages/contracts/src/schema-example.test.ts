import { expect, test } from 'vitest'
import { publicEvents, publicOperations } from './registry.ts'
import { buildContractExample } from './schema-example.ts'

const replies = publicOperations.filter(({ http }) => http.status !== 204 && !http.document)

test.each(replies.map((operation) => [operation.subject, operation] as const))(
  'the example reply of %s obeys its contract',
  (_, { reply }) => {
    expect(reply.safeParse(buildContractExample(reply)).error?.issues ?? []).toEqual([])
  },
)

test.each(publicEvents.map((event) => [event.subject, event] as const))(
  'the example payload of %s obeys its contract',
  (_, { payload }) => {
    expect(payload.safeParse(buildContractExample(payload)).error?.issues ?? []).toEqual([])
  },
)

interface Amounts {
  subtotal_amount: number
  discount_amount: number
  net_amount: number
  tax_amount: number
  total_amount: number
}

/** Every object inside a value, with the path to it. */
function findObjects(value: unknown, path = ''): [path: string, object: Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([key, each]) => findObjects(each, `${path}.${key}`))
  return Array.isArray(value) ? inside : [[path, value as Record<string, unknown>], ...inside]
}

const sum = (rows: Record<string, number>[], key: string) => rows.reduce((total, row) => total + (row[key] ?? 0), 0)

test('in every example, net is subtotal less discount, total is net plus tax, and lines and taxes add up', () => {
  const found = [
    ...replies.map(({ subject, reply }) => [subject, reply] as const),
    ...publicEvents.map((event) => [event.subject, event.payload] as const),
  ]
    .flatMap(([subject, schema]) => findObjects(buildContractExample(schema), subject))
    .filter(([, object]) => 'subtotal_amount' in object)
  expect(found.length).toBeGreaterThan(20)
  for (const [path, object] of found) {
    const { subtotal_amount, discount_amount, net_amount, tax_amount, total_amount } = object as unknown as Amounts
    expect({ path, net_amount, total_amount }).toEqual({
      path,
      net_amount: subtotal_amount - discount_amount,
      total_amount: net_amount + tax_amount,
    })
    const { items, taxes } = object as { items?: Record<string, number>[]; taxes?: Record<string, number>[] }
    if (items) {
      expect({ path, subtotal: sum(items, 'amount') }).toEqual({ path, subtotal: subtotal_amount })
      expect({ path, discount: sum(items, 'discount_amount') }).toEqual({ path, discount: discount_amount })
      expect({ path, tax: sum(items, 'tax_amount') }).toEqual({ path, tax: tax_amount })
    }
    if (taxes) expect({ path, tax: sum(taxes, 'amount') }).toEqual({ path, tax: tax_amount })
  }
})
