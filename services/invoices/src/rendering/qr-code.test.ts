import { expect, test } from 'vitest'
import { modulesOf, qrCode } from './qr-code.ts'

test('every dark module of the code is drawn, and no light one', () => {
  const text = 'https://billing.example.com/v1/invoices/verify?number=NORTHWIND-0042'
  const { size, data } = modulesOf(text)
  const drawn = new Uint8Array(size * size)
  for (const [, x, y, width] of qrCode(text, '').matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    const start = Number(y) * size + Number(x)
    drawn.fill(1, start, start + Number(width))
  }
  expect(drawn).toEqual(Uint8Array.from(data, Number))
})

test('it is a picture with words for who cannot see it', () => {
  expect(qrCode('A', 'QR "code"')).toContain('role="img" aria-label="QR &quot;code&quot;"')
})
