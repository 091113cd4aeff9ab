import { existsSync, readFileSync } from 'node:fs'

/** Words that are right where they are used. */
export interface Exceptions {
  allows(file: string, match: string): boolean
  /** Abbreviated hashes of commits whose subject stays. */
  commits: ReadonlySet<string>
  /** Lines that allow nothing any more. */
  unused(): string[]
}

/**
 * Reads exceptions: `path | word | reason` per line, where the path may be a folder that ends in `/`, or `commit` and a hash. Throws on a line without a reason.
 */
export function readExceptions(file: string): Exceptions {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const entries = lines
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => {
      const [path, word, reason] = line.split('|').map((part) => part.trim())
      if (!path || !word || !reason) throw new Error(`An exception needs a path, a word and a reason: ${line}`)
      return { path, word: word.toLowerCase(), line, uses: 0 }
    })
  const isCommit = ({ path }: { path: string }) => path.startsWith('commit ')
  return {
    commits: new Set(entries.filter(isCommit).map(({ path }) => path.slice('commit '.length))),
    allows(path, match) {
      const found = entries.find(
        (entry) => entry.word === match.toLowerCase() && (path === entry.path || (entry.path.endsWith('/') && path.startsWith(entry.path))),
      )
      if (found) found.uses++
      return found !== undefined
    },
    unused: () => entries.filter((entry) => entry.uses === 0 && !isCommit(entry)).map(({ line }) => `exception without a use: ${line}`),
  }
}
