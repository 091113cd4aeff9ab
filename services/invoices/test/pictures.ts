import { crc32, deflateSync } from 'node:zlib'

interface PngOptions {
  width: number
  height: number
  /** Bits per pixel: 1 is grey, 24 is RGB. */
  bits: 1 | 24
}

/** Returns a valid PNG of one colour, however large; its file is about a thousandth of its pixels. */
export function aPng({ width, height, bits }: PngOptions): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(bits === 1 ? [1, 0, 0, 0, 0] : [8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc((1 + Math.ceil((width * bits) / 8)) * height)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

export function toDataUrl(bytes: Uint8Array, type: 'png' | 'jpeg' = 'png'): string {
  return `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** A PNG whose header is right and whose pixels are damaged. */
export function aDamagedPng(): Buffer {
  const bytes = aPng({ width: 160, height: 60, bits: 24 })
  return bytes.fill(0xff, 41, bytes.length - 16)
}
