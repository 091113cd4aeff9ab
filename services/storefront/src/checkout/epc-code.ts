import { html, type Html } from '@quittance/pages/html'
import QRCode from 'qrcode'

/** White modules around a code that readers need. */
const quietModules = 4

/**
 * Renders a transfer as a QR code that banking apps read (EPC069-12: level M, at most version 13); null if the text does not fit. The colours
 * are fixed, because readers expect dark modules on white in every scheme.
 */
export function renderEpcCode(epc: string, label: string): Html | null {
  const code = createCode(epc)
  if (!code) return null
  const side = code.size + 2 * quietModules
  const rows = Array.from({ length: code.size }, (_, y) => drawRow(code, y)).join('')
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">
    <rect width="${side}" height="${side}" fill="#fff" />
    <path d="${rows}" fill="#000" />
  </svg>`
}

interface Matrix {
  /** Modules of a side. */
  size: number
  /** 1 for a dark module, row by row. */
  data: Uint8Array
}

const maxVersion = 13

function createCode(text: string): Matrix | null {
  try {
    const { version, modules } = QRCode.create([{ data: Buffer.from(text, 'utf8'), mode: 'byte' }], { errorCorrectionLevel: 'M' })
    return version <= maxVersion ? { size: modules.size, data: modules.data } : null
  } catch {
    // Longer than any code.
    return null
  }
}

/** Path of the dark modules of a row, one rectangle for neighbours. */
function drawRow({ size, data }: Matrix, y: number): string {
  const row = Array.from(data.subarray(y * size, (y + 1) * size), (dark) => (dark ? '1' : '0')).join('')
  return [...row.matchAll(/1+/g)]
    .map(({ index, 0: { length } }) => `M${index + quietModules} ${y + quietModules}h${length}v1h-${length}z`)
    .join('')
}
