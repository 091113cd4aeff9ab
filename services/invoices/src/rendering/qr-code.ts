import { create, type QRCodeByteSegment } from 'qrcode'
import { escapeHtml } from './markup.ts'

/** Evaluating all eight masks takes longer than everything else, and readers accept every mask. */
const maskPattern = 3

/**
 * Returns a QR code as inline SVG: a single path, so it is sharp on paper and takes a few kilobytes. Readers need a white margin of four
 * modules.
 */
export function qrCode(text: string, label: string): string {
  const { size, data } = encodeQrModules(text)
  const attributes = `class="qr" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"`
  return `<svg ${attributes}><path d="${runs(data, size)}"/></svg>`
}

/** Encodes the text as bytes. Mixed modes save almost nothing for a URL, and searching the best mix takes longer than everything else. */
export function encodeQrModules(text: string) {
  const bytes: QRCodeByteSegment = { data: new TextEncoder().encode(text), mode: 'byte' }
  return create([bytes], { errorCorrectionLevel: 'M', maskPattern }).modules
}

/** Draws adjacent dark modules of a row as one bar. */
function runs(data: Uint8Array, size: number): string {
  let path = ''
  for (let row = 0; row < size; row += 1) {
    for (let start = 0; start < size; start += 1) {
      if (!data[row * size + start]) continue
      let end = start
      while (end < size && data[row * size + end]) end += 1
      path += `M${start} ${row}h${end - start}v1h-${end - start}z`
      start = end
    }
  }
  return path
}
