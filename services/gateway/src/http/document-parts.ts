import { Readable } from 'node:stream'

/** A part, and where the next one begins. */
export interface Part {
  text: string
  next: string | null
}

interface Document {
  /** There already, so that a refusal could still be told by status. */
  first: Part
  ask: (after: string | null) => Promise<Part>
  /** As one JSON string instead of text: for clients that read nothing but JSON. */
  asJson: boolean
}

/**
 * One document of many parts, asked for as fast as the client reads. A later part that fails breaks the connection off, and the client
 * sees that the document is not whole.
 */
export function documentOf({ first, ask, asJson }: Document): Readable {
  async function* texts() {
    const written = (text: string) => (asJson ? JSON.stringify(text).slice(1, -1) : text)
    if (asJson) yield '"'
    let part = first
    yield written(part.text)
    while (part.next !== null) {
      part = await ask(part.next)
      yield written(part.text)
    }
    if (asJson) yield '"'
  }
  return Readable.from(texts(), { objectMode: false })
}

/** Whether the client takes JSON and no CSV. */
export function wantsJson(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/json\b/i.test(accept) && !/\btext\/(csv|\*)|\*\/\*/i.test(accept)
}
