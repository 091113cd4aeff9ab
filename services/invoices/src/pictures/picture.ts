/** A picture as its header describes it. Nothing was decoded: a header can be right although the rest is damaged. */
export interface Picture {
  type: 'png' | 'jpeg'
  /** Size in pixels. */
  width: number
  height: number
  bytes: Buffer
}

/** Decoding a picture within these limits takes at most 16 MB of memory and a fraction of a second. */
const maxSidePx = 2048
export const maxPicturePixels = 4_000_000

/** Exit code of the re-encoding program for a damaged picture. */
export const undecodableExitCode = 65

/** For error messages. */
export const pictureLimits = `at most ${maxSidePx} pixels per side and ${maxPicturePixels / 1_000_000} megapixels`

const dataUrl = /^data:image\/(png|jpeg);base64,([A-Za-z0-9+/]+=*)$/

/** Returns the picture of a `data:` URL, or null if the content is not a PNG or JPEG of the declared type. */
export function parsePicture(url: string): Picture | null {
  const [, type, base64 = ''] = dataUrl.exec(url) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const size = type === 'png' ? readPngSize(bytes) : type === 'jpeg' ? readJpegSize(bytes) : null
  return size && size.width > 0 && size.height > 0 ? { type: type as Picture['type'], ...size, bytes } : null
}

/** Whether the picture may be decoded. */
export function isWithinPictureLimits({ width, height }: Pick<Picture, 'width' | 'height'>): boolean {
  return Math.max(width, height) <= maxSidePx && width * height <= maxPicturePixels
}

export function formatPicture(type: Picture['type'], bytes: Buffer): string {
  return `data:image/${type};base64,${bytes.toString('base64')}`
}

type Size = Pick<Picture, 'width' | 'height'>

/** Signature, length and name of the first chunk, which is always IHDR. */
const pngStart = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

function readPngSize(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !bytes.subarray(0, pngStart.length).equals(pngStart)) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Walks the segments up to the frame header. Anything unexpected before it means that the size is unknown. */
function readJpegSize(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff_d8) return null
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (isFrameHeader(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (!isMetadata(marker) || bytes.readUInt16BE(at + 2) < 2) return null
  }
  return null
}

/** SOF0 to SOF15, without DHT, JPG and DAC between them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xff_c0 && marker <= 0xff_cf && ![0xff_c4, 0xff_c8, 0xff_cc].includes(marker)
}

/** Tables, application data and comments: DHT, DAC, DQT, DRI, APP0 to APP15, COM. */
function isMetadata(marker: number): boolean {
  return [0xff_c4, 0xff_cc, 0xff_db, 0xff_dd, 0xff_fe].includes(marker) || (marker >= 0xff_e0 && marker <= 0xff_ef)
}
