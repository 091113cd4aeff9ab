import { expect, test } from 'vitest'
import { readVerificationPath, verificationPath } from './invoice-verification.ts'

test('a printed address names number and id, also of a number with a slash', () => {
  const document = { number: 'SHOP/2026-0001', id: '0b8c2b4e-0f5e-4c5a-9d55-1f7f0c3e7a11' }
  const path = verificationPath(document)
  expect(path).toBe('/verify/SHOP~2026-0001/C4wrTg9eTFqdVR9_DD56EQ')
  const [, , number = '', code = ''] = path.split('/')
  expect(readVerificationPath({ number, code })).toEqual(document)
})
