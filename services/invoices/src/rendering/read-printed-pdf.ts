/** An object of a PDF (ISO 32000-1, 7.3.10). Text is Latin-1, so every byte is one character. */
export interface PdfObject {
  /** Value of the object; of a stream, its dictionary. */
  text: string
  /** Encoded bytes of a stream; null for any other object. */
  stream: Buffer | null
}

/** A PDF as Chromium prints it: one section, generation 0, direct lengths of streams. */
export interface PrintedPdf {
  /** By number. */
  objects: Map<number, PdfObject>
  /** Numbers of the document catalog and of the description. */
  root: number
  info: number
}

const streamEnd = /\nendstream\s*endobj\s*$/
const objectEnd = /\s*endobj\s*$/

/** Reads all objects of a PDF without parsing their values. Throws if the file has another structure than Chromium's. */
export function readPrintedPdf(bytes: Uint8Array): PrintedPdf {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = file.toString('latin1')
  const [, start = ''] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text.slice(-64)) ?? []
  const trailer = text.slice(text.indexOf('trailer', Number(start) || text.length))
  const offsets = readOffsets(text, Number(start))
  const objects = new Map<number, PdfObject>()
  for (const [index, [offset, number]] of offsets.entries()) {
    const end = offsets[index + 1]?.[0] ?? Number(start)
    objects.set(number, readObject(file, text.slice(offset, end), { number, offset }))
  }
  return { objects, root: readReference(trailer, 'Root'), info: readReference(trailer, 'Info') }
}

/** Returns offsets and numbers of the objects in the order of the file, from a table of one section. */
function readOffsets(text: string, start: number): [offset: number, number: number][] {
  const header = /^xref\s+0 (\d+)\s+/.exec(text.slice(start, start + 40))
  if (!header) throw new Error('The cross-reference table is missing')
  const entries = Array.from({ length: Number(header[1]) }, (_, number) => {
    const at = start + header[0].length + number * 20
    return { number, offset: Number(text.slice(at, at + 10)), generation: text.slice(at + 11, at + 16), type: text[at + 17] }
  })
  const used = entries.filter(({ type }) => type === 'n')
  if (used.some(({ generation }) => generation !== '00000')) throw new Error('An object has another generation than 0')
  return used.map(({ offset, number }) => [offset, number] as [number, number]).toSorted(([a], [b]) => a - b)
}

function readObject(file: Buffer, text: string, { number, offset }: { number: number; offset: number }): PdfObject {
  const header = `${number} 0 obj`
  if (!text.startsWith(header)) throw new Error(`Object ${number} is not at its offset`)
  const end = streamEnd.exec(text)
  if (!end) return { text: text.slice(header.length).replace(objectEnd, '').trimStart(), stream: null }
  const [, length] = /\/Length (\d+)/.exec(text) ?? []
  const dataAt = end.index - Number(length)
  const [opening] = /\s*stream\r?\n$/.exec(text.slice(0, dataAt).slice(-16)) ?? []
  if (length === undefined || !opening) throw new Error(`The length of stream ${number} is wrong`)
  return {
    text: text.slice(header.length, dataAt - opening.length).trimStart(),
    stream: file.subarray(offset + dataAt, offset + end.index),
  }
}

function readReference(trailer: string, name: string): number {
  const [, number] = new RegExp(`/${name} (\\d+) 0 R`).exec(trailer) ?? []
  if (number === undefined) throw new Error(`The trailer has no ${name}`)
  return Number(number)
}
