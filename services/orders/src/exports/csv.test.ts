import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test('commas, quotes and line breaks stay inside their cell', () => {
  expect(csvLine(['a', 'b,c', 'd"e', 'f\ng', null, 12, true])).toBe('a,"b,c","d""e","f\ng",,12,true\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('%j is text to a spreadsheet, not a formula', (text) => {
  expect(csvLine([text]).replaceAll('"', '').startsWith(`'`)).toBe(true)
})

test('a negative number is a number', () => {
  expect(csvLine([-5])).toBe('-5\r\n')
})
