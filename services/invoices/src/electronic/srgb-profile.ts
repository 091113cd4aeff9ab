/**
 * Builds the colour profile that PDF/A requires: sRGB (IEC 61966-2-1) as an ICC profile of version 2.1. It is generated from the
 * definition, so that no profile with its own licence is shipped.
 */
export function srgbProfile(): Uint8Array {
  const curve = toneCurve()
  const tags: [string, Buffer][] = [
    ['desc', description('sRGB IEC61966-2.1')],
    ['cprt', tagged('text', Buffer.from('Public domain\0', 'latin1'))],
    ['wtpt', xyz(d50)],
    // The primaries, adapted to D50 by the Bradford method.
    ['rXYZ', xyz([0.43607, 0.22249, 0.01392])],
    ['gXYZ', xyz([0.38515, 0.71687, 0.09708])],
    ['bXYZ', xyz([0.14307, 0.06061, 0.7141])],
    ...(['rTRC', 'gTRC', 'bTRC'] as const).map((name): [string, Buffer] => [name, curve]),
  ]
  return assembleProfile(tags)
}

const d50 = [0.9642, 1, 0.8249] as const
const headerBytes = 128
const curvePoints = 256

function assembleProfile(tags: readonly [string, Buffer][]): Uint8Array {
  const table = Buffer.alloc(4 + 12 * tags.length)
  table.writeUInt32BE(tags.length)
  const offsets = new Map<Buffer, number>()
  const bodies: Buffer[] = []
  let end = headerBytes + table.length
  for (const [index, [name, body]] of tags.entries()) {
    const offset = offsets.get(body) ?? end
    if (offset === end) {
      offsets.set(body, offset)
      bodies.push(body, Buffer.alloc((4 - (body.length % 4)) % 4))
      end += Math.ceil(body.length / 4) * 4
    }
    table.write(name, 4 + 12 * index, 'latin1')
    table.writeUInt32BE(offset, 8 + 12 * index)
    table.writeUInt32BE(body.length, 12 + 12 * index)
  }
  return Buffer.concat([header(end), table, ...bodies])
}

/** ICC.1:2001-04, 6.1: a display profile from RGB to XYZ. */
function header(size: number): Buffer {
  const bytes = Buffer.alloc(headerBytes)
  bytes.writeUInt32BE(size)
  bytes.writeUInt32BE(0x02_10_00_00, 8)
  bytes.write('mntrRGB XYZ ', 12, 'latin1')
  for (const [index, part] of [2026, 1, 1].entries()) bytes.writeUInt16BE(part, 24 + 2 * index)
  bytes.write('acsp', 36, 'latin1')
  for (const [index, part] of d50.entries()) bytes.writeInt32BE(fixed(part), 68 + 4 * index)
  return bytes
}

function description(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.length + 1)
  // No Unicode and no Macintosh form of the name: both counts are zero, and the latter keeps its 67 bytes.
  return tagged('desc', Buffer.concat([length, Buffer.from(`${text}\0`, 'latin1'), Buffer.alloc(8 + 3 + 67)]))
}

function toneCurve(): Buffer {
  const points = Buffer.alloc(4 + 2 * curvePoints)
  points.writeUInt32BE(curvePoints)
  for (let index = 0; index < curvePoints; index++) {
    const value = index / (curvePoints - 1)
    const linear = value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    points.writeUInt16BE(Math.round(linear * 65_535), 4 + 2 * index)
  }
  return tagged('curv', points)
}

function xyz(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(12)
  for (const [index, value] of values.entries()) bytes.writeInt32BE(fixed(value), 4 * index)
  return tagged('XYZ ', bytes)
}

function tagged(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${type}\0\0\0\0`, 'latin1'), body])
}

/** s15Fixed16Number. */
function fixed(value: number): number {
  return Math.round(value * 65_536)
}
