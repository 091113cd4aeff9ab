import { expect, test } from 'vitest'
import { encodeQrModules, qrCode } from './qr-code.ts'

test('draws every dark module of the code and no light one', () => {
  const text = 'https://billing.example.com/verify/NORTHWIND-0042/qrvM3e7_ABEiM0RVZneImQ'
  const { size, data } = encodeQrModules(text)
  const drawn = new Uint8Array(size * size)
  for (const [, x, y, width] of qrCode(text, '').matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    const start = Number(y) * size + Number(x)
    drawn.fill(1, start, start + Number(width))
  }
  expect(drawn).toEqual(Uint8Array.from(data, Number))
})

test('is an image with an accessible label', () => {
  expect(qrCode('A', 'QR "code"')).toContain('role="img" aria-label="QR &quot;code&quot;"')
})
