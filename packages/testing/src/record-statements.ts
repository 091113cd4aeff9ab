import pg from 'pg'
import { vi } from 'vitest'

/** Texts of the statements that ran. */
export interface RecordedStatements extends Disposable {
  /** Returns the statement that contains all these words. */
  find(...words: string[]): string
}

/** Records the statements that this process sends to PostgreSQL until it is disposed of, for tests of their plans. */
export function recordStatements(): RecordedStatements {
  const texts = new Set<string>()
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parameters: unknown[]) {
    const [statement] = parameters as [string | { text?: string }]
    texts.add(typeof statement === 'string' ? statement : (statement.text ?? ''))
    return query.apply(this, parameters) as never
  })
  return {
    find(...words) {
      const text = [...texts].find((each) => words.every((word) => each.includes(word)))
      if (text === undefined) throw new Error(`No statement contains ${words.join(', ')}`)
      return text
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  }
}
