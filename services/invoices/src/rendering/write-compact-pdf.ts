import { deflateSync } from 'node:zlib'
import type { PdfObject, PrintedPdf } from './read-printed-pdf.ts'

/** More objects per stream compress better. A reader must decompress a whole stream to read one object. */
const objectsPerStream = 250

/** Where an object is: an offset in the file, or an index in an object stream (ISO 32000-1, table 18). */
type Entry = [type: 0 | 1 | 2, position: number, index: number]

/** Writes a PDF whose objects are in compressed object streams (PDF 1.5, ISO 32000-1, 7.5.7 and 7.5.8). Streams are copied. */
export function writeCompactPdf({ objects, root, info }: PrintedPdf): Buffer {
  const numbers = [...objects.keys()].toSorted((a, b) => a - b)
  const entries = new Map<number, Entry>()
  const parts: Buffer[] = []
  let length = 0
  let last = numbers.at(-1) ?? 0

  const append = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  const appendStream = (number: number, { text, stream }: PdfObject) => {
    entries.set(number, [1, length, 0])
    append(Buffer.from(`${number} 0 obj\n${text}\nstream\n`, 'latin1'))
    append(stream as Buffer)
    append(Buffer.from('\nendstream\nendobj\n'))
  }

  // Bytes over 127 show that the file is binary.
  append(Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'))
  const plain: number[] = []
  for (const number of numbers) {
    const object = objects.get(number) as PdfObject
    if (object.stream) appendStream(number, object)
    else plain.push(number)
  }
  for (let from = 0; from < plain.length; from += objectsPerStream) {
    const group = plain.slice(from, from + objectsPerStream)
    last += 1
    for (const [index, number] of group.entries()) entries.set(number, [2, last, index])
    appendStream(last, packObjects(group.map((number) => [number, (objects.get(number) as PdfObject).text])))
  }
  const table = last + 1
  const start = length
  appendStream(table, packTable(entries, { size: table + 1, root, info, self: [1, start, 0] }))
  append(Buffer.from(`startxref\n${start}\n%%EOF\n`))
  return join(parts, length)
}

/** The result shares no memory, unlike that of `Buffer.concat`, so that a thread can transfer it. */
function join(parts: readonly Buffer[], length: number): Buffer {
  const file = Buffer.alloc(length)
  let at = 0
  for (const part of parts) at += part.copy(file, at)
  return file
}

/** ISO 32000-1, 7.5.7. */
function packObjects(objects: readonly (readonly [number: number, text: string])[]): PdfObject {
  let offset = 0
  const places = objects.map(([number, text]) => {
    const place = `${number} ${offset}`
    offset += text.length + 1
    return place
  })
  const head = `${places.join(' ')}\n`
  const body = objects.map(([, text]) => text).join('\n')
  const stream = deflateSync(Buffer.from(head + body, 'latin1'))
  const dictionary = `<</Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode /Length ${stream.length}>>`
  return { text: dictionary, stream }
}

interface Table {
  size: number
  root: number
  info: number
  self: Entry
}

/** ISO 32000-1, 7.5.8. */
function packTable(entries: ReadonlyMap<number, Entry>, { size, root, info, self }: Table): PdfObject {
  const table = Buffer.alloc(size * 7)
  for (let number = 0; number < size; number += 1) {
    const [type, position, index] = number === size - 1 ? self : (entries.get(number) ?? [0, 0, 0xffff])
    table.writeUInt8(type, number * 7)
    table.writeUInt32BE(position, number * 7 + 1)
    table.writeUInt16BE(index, number * 7 + 5)
  }
  const stream = deflateSync(table)
  const dictionary = `<</Type /XRef /Size ${size} /W [1 4 2] /Root ${root} 0 R /Info ${info} 0 R /Filter /FlateDecode /Length ${stream.length}>>`
  return { text: dictionary, stream }
}
