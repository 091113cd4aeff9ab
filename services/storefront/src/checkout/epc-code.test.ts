import QRCode from 'qrcode'
import { expect, test } from 'vitest'
import { renderEpcCode } from './epc-code.ts'

const epc = [
  'BCD',
  '002',
  '1',
  'SCT',
  'COBADEFFXXX',
  'Hafenbücherei & Söhne',
  'DE89370400440532013000',
  'EUR42.00',
  '',
  'RF18539007547034',
].join('\n')

test('the drawing has exactly the modules of the code, in its place, and a white edge of four [pages 47]', () => {
  const drawn = renderEpcCode(epc, 'Scan')?.text ?? ''
  const { modules } = QRCode.create([{ data: Buffer.from(epc), mode: 'byte' }], { errorCorrectionLevel: 'M' })
  expect(drawn).toContain(`viewBox="0 0 ${modules.size + 8} ${modules.size + 8}"`)
  const dark = new Set<string>()
  for (const [, x, y, width] of drawn.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let each = 0; each < Number(width); each++) dark.add(`${Number(x) - 4 + each} ${Number(y) - 4}`)
  }
  const expected = Array.from(modules.data, (module, at) => (module ? `${at % modules.size} ${Math.floor(at / modules.size)}` : null))
  expect(dark).toEqual(new Set(expected.filter((each) => each !== null)))
})

test('a label is text, and a transfer that is too long has no code', () => {
  expect(renderEpcCode(epc, '"><script>')?.text).not.toContain('<script>')
  expect(renderEpcCode('x'.repeat(400), 'Scan')).toBeNull()
  expect(renderEpcCode('x'.repeat(4_000), 'Scan')).toBeNull()
})
