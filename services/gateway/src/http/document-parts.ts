import { Readable } from 'node:stream'

/** Asks for one part; null for the first. */
export type AskPart = (after: string | null) => Promise<{ text: string; next: string | null }>

/**
 * One document of many parts, asked for as fast as the client reads. The first part is there already, so that a refusal could still be told
 * by status; a later one that fails breaks the connection off, and the client sees that the document is not whole.
 */
export function documentOf(first: { text: string; next: string | null }, ask: AskPart): Readable {
  async function* texts() {
    let part = first
    yield part.text
    while (part.next !== null) {
      part = await ask(part.next)
      yield part.text
    }
  }
  return Readable.from(texts(), { objectMode: false })
}
