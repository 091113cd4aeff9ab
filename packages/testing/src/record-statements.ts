import pg from 'pg'
import { vi } from 'vitest'
import type { TestService } from './harness.ts'

/** The statements that ran. */
export interface RecordedStatements extends Disposable {
  /** Returns the text of the statement that contains all these words. */
  find(...words: string[]): string
  /** Returns the same statement with the values of its last run in place of its parameters, which may be planned differently. */
  findWithValues(...words: string[]): string
}

interface Statement {
  text?: string
  values?: readonly unknown[]
}

/** Records the statements that this process sends to PostgreSQL until it is disposed of, for tests of their plans. */
export function recordStatements(): RecordedStatements {
  const valuesByText = new Map<string, readonly unknown[]>()
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parameters: unknown[]) {
    const [statement] = parameters as [string | Statement]
    if (typeof statement === 'string') valuesByText.set(statement, [])
    else valuesByText.set(statement.text ?? '', statement.values ?? [])
    return query.apply(this, parameters) as never
  })
  function find(...words: string[]): string {
    const text = [...valuesByText.keys()].find((each) => words.every((word) => each.includes(word)))
    if (text === undefined) throw new Error(`No statement contains ${words.join(', ')}`)
    return text
  }

  return {
    find,
    findWithValues(...words) {
      const text = find(...words)
      const values = valuesByText.get(text) ?? []
      return text.replaceAll(/\$(\d+)/g, (_, number: string) => toLiteral(values[Number(number) - 1]))
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((each) => JSON.stringify(each)).join()}}`)
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Returns the plan of a statement as text. `options` are those of EXPLAIN; with the default, parameters have no values. */
export async function explain({ rows }: Pick<TestService, 'rows'>, statement: string, options = 'generic_plan'): Promise<string> {
  const lines = await rows<{ 'QUERY PLAN': string }>(`explain (${options}) ${statement}`)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

/** Runs a statement without parameters, and returns the number of blocks that it read in memory; NaN if the plan states none. */
export async function countBlocks(service: Pick<TestService, 'rows'>, statement: string): Promise<number> {
  const plan = await explain(service, statement, 'analyze, buffers')
  return Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1])
}
