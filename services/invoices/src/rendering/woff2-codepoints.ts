import { brotliDecompressSync } from 'node:zlib'

const headerSize = 48
// Indexes in the list of known tags of the format (WOFF 2.0, 4.1).
const cmapTag = 0
const glyfTag = 10
const locaTag = 11
const ownTag = 63

interface Table {
  tag: number
  /** Length in the compressed data. */
  length: number
}

/**
 * Returns the code points for which a WOFF2 font has a glyph. The subset list of the package only states how it was cut; only the font file
 * shows whether it has a glyph.
 */
export function readWoff2Codepoints(file: Buffer): ReadonlySet<number> {
  const { tables, end } = tableDirectory(file)
  const data = brotliDecompressSync(file.subarray(end, end + file.readUInt32BE(20)))
  let offset = 0
  for (const { tag, length } of tables) {
    if (tag === cmapTag) return readMappedCodePoints(data.subarray(offset, offset + length))
    offset += length
  }
  throw new Error('The font has no cmap')
}

function tableDirectory(file: Buffer): { tables: Table[]; end: number } {
  let position = headerSize
  const number128 = () => {
    let value = 0
    for (;;) {
      const byte = file.readUInt8(position++)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
  }
  const tables = Array.from({ length: file.readUInt16BE(12) }, (): Table => {
    const flags = file.readUInt8(position++)
    const tag = flags & 0x3f
    if (tag === ownTag) position += 4
    const length = number128()
    const isOutline = tag === glyfTag || tag === locaTag
    const isTransformed = isOutline ? flags >> 6 !== 3 : flags >> 6 !== 0
    return { tag, length: isTransformed ? number128() : length }
  })
  return { tables, end: position }
}

function readMappedCodePoints(cmap: Buffer): ReadonlySet<number> {
  const codePoints = new Set<number>()
  for (let record = 0; record < cmap.readUInt16BE(2); record += 1) {
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + record * 8 + 4))
    const format = subtable.readUInt16BE(0)
    if (format === 4) addSegments(subtable, codePoints)
    if (format === 12) addGroups(subtable, codePoints)
  }
  return codePoints
}

/** Format 4: segments of the first plane. Glyph id 0 means no glyph. */
function addSegments(subtable: Buffer, codePoints: Set<number>): void {
  const size = subtable.readUInt16BE(6)
  const [ends, starts, deltas, offsets] = [14, 16 + size, 16 + size * 2, 16 + size * 3]
  for (let at = 0; at < size; at += 2) {
    const [start, end] = [subtable.readUInt16BE(starts + at), subtable.readUInt16BE(ends + at)]
    const [delta, offset] = [subtable.readUInt16BE(deltas + at), subtable.readUInt16BE(offsets + at)]
    for (let point = start; point <= end && point !== 0xffff; point += 1) {
      const glyphIndex = offset === 0 ? point : subtable.readUInt16BE(offsets + at + offset + (point - start) * 2)
      if (glyphIndex !== 0 && ((glyphIndex + delta) & 0xffff) !== 0) codePoints.add(point)
    }
  }
}

/** Format 12: groups of all planes. */
function addGroups(subtable: Buffer, codePoints: Set<number>): void {
  for (let group = 0; group < subtable.readUInt32BE(12); group += 1) {
    const at = 16 + group * 12
    for (let point = subtable.readUInt32BE(at); point <= subtable.readUInt32BE(at + 4); point += 1) codePoints.add(point)
  }
}
