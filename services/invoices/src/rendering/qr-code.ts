import { create, type QRCodeByteSegment } from 'qrcode'
import { escapeHtml } from './escape-html.ts'

/** Weighing all eight masks takes longer than all the rest, and readers take each. */
const maskPattern = 3

/** A QR code as inline SVG: one path, so it stays sharp on paper and costs a few kilobytes. Readers need four modules of white around it. */
export function qrCode(text: string, label: string): string {
  const { size, data } = modulesOf(text)
  const attributes = `class="qr" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"`
  return `<svg ${attributes}><path d="${runs(data, size)}"/></svg>`
}

/** An address saves next to nothing by a mixture of alphabets, and looking for the best one takes longer than all the rest. */
export function modulesOf(text: string) {
  const bytes: QRCodeByteSegment = { data: new TextEncoder().encode(text), mode: 'byte' }
  return create([bytes], { errorCorrectionLevel: 'M', maskPattern }).modules
}

/** Each row's dark modules that stand side by side, as one bar. */
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
