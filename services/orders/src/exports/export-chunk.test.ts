import { expect, test } from 'vitest'
import { csvLine } from './export-chunk.ts'

test('keeps commas, quotes and line breaks inside their cell', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', null, 12, true])).toBe('a,"b,c","d""e","f\ng",,12,true\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1+1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
  'exports %j as text, not as a formula',
  (text) => {
    expect(csvLine([text]).replaceAll('"', '').startsWith(`'`)).toBe(true)
  },
)

test.each([
  ['a;=1+1;b', `"a;'=1+1;b"\r\n`],
  ['a\n=1+1', `"a\n'=1+1"\r\n`],
  ['a;"=1+1', `"a;'""=1+1"\r\n`],
  ['a;""@SUM(A1)', `"a;'""""@SUM(A1)"\r\n`],
  ['a\t@SUM(A1)', `"a\t'@SUM(A1)"\r\n`],
])('exports %j as text where a semicolon, a tab or a line break starts a cell', (text, line) => {
  expect(csvLine([text])).toBe(line)
})

test.each(['Ada & Co', 'a-b', 'a = b', '1;2', 'a; - b'])('exports %j unchanged', (text) => {
  expect(csvLine([text]).trimEnd().replaceAll('"', '')).toBe(text)
})

test('exports a negative number as a number', () => {
  expect(csvLine([-5])).toBe('-5\r\n')
})
