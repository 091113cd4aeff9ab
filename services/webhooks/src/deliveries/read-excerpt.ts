import type { Readable } from 'node:stream'

const readBytes = 64 * 1024
const keptBytes = 8 * 1024

/** The beginning of an answer, for a person to read later. Reads little of a large one, never inflates, and then lets go. */
export async function readExcerpt(body: Readable): Promise<string> {
  // Letting go early is an error to the stream, and to nobody else.
  body.on('error', () => {})
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < keptBytes) chunks.push(chunk)
    read += chunk.length
    if (read >= readBytes) break
  }
  return readable(Buffer.concat(chunks).subarray(0, keptBytes))
}

/** Text that PostgreSQL takes: without NUL, and in base64 where it is not UTF-8. A character cut at the end is dropped. */
function readable(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }).replaceAll('\0', '')
  } catch {
    return bytes.toString('base64')
  }
}
