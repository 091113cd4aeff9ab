import { expect, test } from 'vitest'
import { aLine, aTax } from '../../test/electronic-document.ts'
import { linesByRate } from './lines-by-rate.ts'

test('5,000 taxed lines get their rate without a search, whether they name it or there is only one [documents 2]', () => {
  for (const taxPosition of [1, undefined]) {
    const lines = Array.from({ length: 5000 }, () => aLine({ amount: 100, tax: 23, ...(taxPosition && { taxPosition }) }))
    const taxes = [aTax({ taxable_amount: 500_000, amount: 115_000 })]
    const startedAt = performance.now()
    expect(linesByRate({ lines, taxes, net: 500_000 })?.map((rate) => rate.lines.length)).toEqual([5000])
    expect(performance.now() - startedAt).toBeLessThan(200)
  }
})

test('lines name their rate where shares of tax are ambiguous [documents 2]', () => {
  const taxes = [aTax({ percentage: 7, taxable_amount: 1, amount: 0 }), aTax({ percentage: 19, taxable_amount: 1, amount: 0 })]
  const lines = [aLine({ label: 'A', amount: 1 }), aLine({ label: 'B', amount: 1 })]
  expect(linesByRate({ lines, taxes, net: 2 })).toBe(null)
  const named = lines.map((line, index) => ({ ...line, taxPosition: 2 - index }))
  const byRate = linesByRate({ lines: named, taxes, net: 2 })?.map(({ tax, lines: [first] }) => [tax?.percentage, first?.label])
  expect(byRate).toEqual([
    [7, 'B'],
    [19, 'A'],
  ])
})

test('untaxed lines beside taxed ones are a separate group', () => {
  const taxes = [aTax({ taxable_amount: 100, amount: 23 })]
  const lines = [aLine({ amount: 100, tax: 23, taxPosition: 1 }), aLine({ label: 'Book', amount: 50, taxPosition: 0 })]
  expect(linesByRate({ lines, taxes, net: 150 })?.map((rate) => [rate.tax?.percentage ?? null, rate.lines.length])).toEqual([
    [23, 1],
    [null, 1],
  ])
})
