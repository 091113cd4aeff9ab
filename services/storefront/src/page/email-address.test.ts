import { expect, test } from 'vitest'
import { toAsciiAddress } from './email-address.ts'

test.each([
  ['ada@exämple.de', 'ada@xn--exmple-cua.de'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['Ada@Example.COM', 'Ada@Example.COM'],
  ['ada@ex ämple.de', 'ada@ex ämple.de'],
  ['ädä', 'ädä'],
  ['', ''],
])('the domain of %s is submitted as in %s, whatever the browser does', (typed, submitted) => {
  expect(toAsciiAddress(typed)).toBe(submitted)
})
