import { expect, test } from 'vitest'
import { byteRange } from './send-document.ts'

test.each([
  ['bytes=0-99', { first: 0, last: 99 }],
  ['bytes=990-', { first: 990, last: 999 }],
  ['bytes=-10', { first: 990, last: 999 }],
  ['bytes=-5000', { first: 0, last: 999 }],
  ['bytes=999-5000', { first: 999, last: 999 }],
  ['bytes=1000-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-4', null],
  ['bytes=-', null],
  ['bytes=0-1,3-4', null],
  ['items=0-1', null],
  [undefined, null],
] as const)('parses the range of 1,000 bytes in %s as %o', (header, range) => {
  expect(byteRange(header, 1000)).toEqual(range)
})
