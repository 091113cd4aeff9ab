import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { compareRow } from './compare-row.ts'
import type { Node } from '../syntax-tree.ts'
import { findStatements, instrument } from './find-statements.ts'
import { readRowType } from './read-row-type.ts'

const source = `
const find = 'select id'
interface Base { id: string; count: number | null }
type State = 'open' | 'closed'
interface Row extends Base { state: State; at: string; tags: string[]; document: Other }
export const read = query(contract, async (_, { sql }) => {
  await sql<Pick<Row, 'id' | 'state'>>('things.find', find, {})
  await context.systemSql<Row>('things.change', isNew ? insert : update)
  await execute(compiled, [])
})`
const uses = findStatements('place.ts', source)

test('finds statements with their row types, both texts of a choice, and no compiled statements', () => {
  expect(uses.map(({ line, text, isScoped }) => [line, text, isScoped])).toEqual([
    [7, 'find', true],
    [8, 'insert', false],
    [8, 'update', false],
  ])
  expect(uses.every(({ row }) => row?.type === 'TSTypeReference')).toBe(true)
})

test('an instrumented module passes the constants of its statements, and null for others', () => {
  const collected: unknown[] = []
  const code = instrument(
    'place.ts',
    `const find = 'select id'\nasync function read({ sql }, local) { await sql('a', find); await sql('b', local) }`,
  )
  const globals = { __collectStatement: (...found: unknown[]) => collected.push(found), url: 'file:///place.ts' }
  runInNewContext(code.replaceAll('import.meta.url', 'url'), globals)
  expect(collected).toEqual([
    ['file:///place.ts', 0, 'select id'],
    ['file:///place.ts', 1, null],
  ])
})

test('compares names, types and nullability of columns', () => {
  const column = (name: string, type: number, isNullableColumn = false) => ({ name, type, isNullableColumn })
  const declared = new Map([
    ['id', { types: new Set(['string']), isNullable: false }],
    ['count', { types: new Set(['number']), isNullable: true }],
    ['at', { types: new Set(['Date']), isNullable: false }],
    ['document', { types: new Set(['any']), isNullable: false }],
  ])
  expect(compareRow(declared, [column('id', 2950), column('count', 23, true), column('at', 1184), column('document', 3802, true)])).toEqual(
    ['column at is string, not Date', 'column document may be null'],
  )
  expect(compareRow(declared, [column('id', 20), column('count', 20)])).toEqual([
    'column count is string, not number',
    'column at does not exist',
    'column document does not exist',
  ])
})

test('reads literals, unions and intersections of row types; others are not compared', () => {
  const [{ row }] = findStatements('place.ts', `sql<{ id: string | null; 'state': 'a' | 'b' } & { count: number }>('a', b)`) as unknown as [
    { row: Node },
  ]
  expect(readRowType(row, import.meta.filename)).toEqual(
    new Map([
      ['id', { types: new Set(['string']), isNullable: true }],
      ['state', { types: new Set(['string']), isNullable: false }],
      ['count', { types: new Set(['number']), isNullable: false }],
    ]),
  )
  const [{ row: generic }] = findStatements('place.ts', `sql<Awaited<Row>>('a', b)`) as unknown as [{ row: Node }]
  expect(readRowType(generic, import.meta.filename)).toBeNull()
})
