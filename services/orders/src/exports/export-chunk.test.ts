import { expect, test } from 'vitest'
import { csvLine } from './export-chunk.ts'

test('keeps commas, quotes and line breaks inside their cell', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', null, 12, true])).toBe('a,"b,c","d""e","f\ng",,12,true\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
  'exports %j as text, not as a formula',
  (text) => {
    expect(csvLine([text]).replaceAll('"', '').startsWith(`'`)).toBe(true)
  },
)

test('exports a negative number as a number', () => {
  expect(csvLine([-5])).toBe('-5\r\n')
})
