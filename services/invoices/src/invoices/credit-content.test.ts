import assert from 'node:assert/strict'
import type { AppliedTax } from '@quittance/contracts/taxes'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildCreditContent, computeRemainder, splitByRate } from './credit-content.ts'
import type { DocumentSnapshot } from './document-snapshot.ts'

const vat = (percentage: number, taxable_amount: number): AppliedTax => ({
  name: 'VAT',
  country: 'DE',
  state: null,
  percentage,
  reverse_charge: false,
  taxable_amount,
  amount: Math.round((taxable_amount * percentage) / 100),
})

const line = (label: string, amount: number, tax: number) => ({ label, amount, discount: 0, tax, proration: false })

/** A book at 7 %, a course at 19 %, and an untaxed donation. */
const invoice = {
  number: 'A-1',
  issuedAt: '2026-11-20T10:00:00Z',
  lines: [line('Book', 3000, 210), line('Course', 10_000, 1900), line('Donation', 500, 0)],
  subtotal: 13_500,
  discount: 0,
  net: 13_500,
  tax: 2110,
  total: 15_610,
  taxes: [vat(7, 3000), vat(19, 10_000)],
} as unknown as DocumentSnapshot

const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)

test('a partial credit is split over the rates of the invoice, with a line for each', () => {
  const content = buildCreditContent(invoice, { net: 6750, tax: 1055 }, [])
  expect(content.lines).toMatchObject([line('Book', 1500, 105), line('Course', 5000, 950), line('Donation', 250, 0)])
  expect(content.taxes).toMatchObject([
    { percentage: 7, taxable_amount: 1500, amount: 105 },
    { percentage: 19, taxable_amount: 5000, amount: 950 },
  ])
  expect(content).toMatchObject({ net: 6750, tax: 1055, total: 7805 })
})

test('partial credits of any size add up to the net amount and tax of each rate', () => {
  const credited: Pick<DocumentSnapshot, 'net' | 'tax' | 'taxes'>[] = []
  let [net, tax, step] = [invoice.net, invoice.tax, 1]
  while (net > 0) {
    const part = Math.min(net, step)
    const partTax = part === net ? tax : Math.min(tax, Math.round((part * invoice.tax) / invoice.net))
    const shares = splitByRate(invoice, { net: part, tax: partTax }, credited)
    expect([total(shares.map((each) => each.net)), total(shares.map((each) => each.tax))]).toEqual([part, partTax])
    expect(shares.every((share) => share.net >= 0 && share.tax >= 0)).toBe(true)
    const taxes = shares.flatMap(({ rate, ...share }) => (rate ? [{ ...rate, taxable_amount: share.net, amount: share.tax }] : []))
    credited.push({ net: part, tax: partTax, taxes })
    ;[net, tax, step] = [net - part, tax - partTax, (step * 7) % 1009]
  }
  for (const { percentage, taxable_amount, amount } of invoice.taxes) {
    const ofRate = credited.flatMap(({ taxes }) => taxes.filter((each) => each.percentage === percentage))
    expect(total(ofRate.map((each) => each.taxable_amount))).toBe(taxable_amount)
    expect(total(ofRate.map((each) => each.amount))).toBe(amount)
  }
})

/** Refunds by their share of what is left, in percent, and returns of earlier refunds. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ refund: fc.integer({ min: 0, max: 100 }) }) },
    { weight: 1, arbitrary: fc.record({ returned: fc.nat(8) }) },
  ),
  { maxLength: 15 },
)
const rates = fc.uniqueArray(fc.constantFrom(0, 7, 19, 20), { maxLength: 3 })
const sales = fc.record({ rates, amounts: fc.tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 0, max: 50_000 }))), steps })

/** An invoice with one line per rate and an untaxed one. */
function anInvoice(percentages: number[], amounts: readonly number[]): DocumentSnapshot {
  const taxes = percentages.map((percentage, index) => vat(percentage, amounts[index] ?? 0))
  const lines = [...taxes.map((tax) => line(`${tax.percentage} %`, tax.taxable_amount, tax.amount)), line('Untaxed', amounts[3] ?? 0, 0)]
  const [net, tax] = [total(lines.map(({ amount }) => amount)), total(taxes.map(({ amount }) => amount))]
  return { number: 'A-1', issuedAt: '2026-11-20T10:00:00Z', lines, subtotal: net, discount: 0, net, tax, total: net + tax, taxes } as never
}

test('over any history of refunds and returns, credit notes that are not reversed stay within the invoice and each rate', () => {
  fc.assert(
    fc.property(sales, ({ rates: percentages, amounts, steps: drawn }) => {
      const sold = anInvoice(percentages, amounts)
      let valid: DocumentSnapshot[] = []
      const credit = (amount: { net: number; tax: number }) => {
        const note = { ...sold, ...buildCreditContent(sold, amount, valid) }
        assert.equal(total(note.lines.map((each) => each.amount - each.discount)), amount.net)
        assert.equal(total(note.lines.map((each) => each.tax)), amount.tax)
        valid.push(note)
      }
      for (const each of drawn) {
        const left = computeRemainder(sold, valid)
        if ('returned' in each) valid = valid.filter((_, index) => index !== each.returned)
        else if (left.net > 0) {
          const net = Math.ceil((left.net * each.refund) / 100)
          const tax = net === left.net ? left.tax : Math.min(left.tax, Math.round((net * sold.tax) / sold.net))
          if (net > 0) credit({ net, tax })
        }
        const { net, tax } = computeRemainder(sold, valid)
        assert(net >= 0 && tax >= 0, 'credit notes are at most the invoice')
        for (const rate of sold.taxes) {
          const ofRate = valid.flatMap(({ taxes }) => taxes.filter(({ percentage }) => percentage === rate.percentage))
          assert(total(ofRate.map(({ amount }) => amount)) <= rate.amount, 'credited tax of a rate is at most its tax')
          assert(total(ofRate.map((one) => one.taxable_amount)) <= rate.taxable_amount, 'credited net of a rate is at most its net')
        }
      }
      // A correction credits the rest.
      const rest = computeRemainder(sold, valid)
      if (rest.net > 0 || rest.tax > 0) credit(rest)
      expect(computeRemainder(sold, valid)).toEqual({ net: 0, tax: 0 })
    }),
    { numRuns: 10_000 },
  )
})

test('an invoice with one rate has one line on a partial credit note, named after its first line', () => {
  const one = { ...invoice, lines: [line('Book', 3000, 210)], net: 3000, tax: 210, taxes: [vat(7, 3000)] }
  expect(buildCreditContent(one, { net: 100, tax: 7 }, []).lines).toMatchObject([line('Book', 100, 7)])
  const untaxed = { ...one, tax: 0, taxes: [] }
  expect(buildCreditContent(untaxed, { net: 100, tax: 0 }, [])).toMatchObject({ lines: [line('Book', 100, 0)], taxes: [] })
})

test('a partial credit of an upgrade is named after the product that was paid for', () => {
  const prorated = (label: string, amount: number, tax: number) => ({ ...line(label, amount, tax), proration: true })
  const [unused, remaining] = [prorated('Unused time of Basic', -1000, -190), prorated('Remaining time of Pro', 3000, 570)]
  const upgrade = { ...invoice, lines: [unused, remaining], net: 2000, tax: 380, taxes: [vat(19, 2000)] }
  expect(buildCreditContent(upgrade, { net: 100, tax: 19 }, []).lines).toMatchObject([prorated('Remaining time of Pro', 100, 19)])
  const mixed = { ...upgrade, lines: [unused, remaining, line('Book', 500, 35)], net: 2500, tax: 415, taxes: [vat(19, 2000), vat(7, 500)] }
  const lines = buildCreditContent(mixed, { net: 1250, tax: 207 }, []).lines?.map(({ label, proration }) => ({ label, proration }))
  expect(lines).toEqual([
    { label: 'Remaining time of Pro', proration: true },
    { label: 'Book', proration: false },
  ])
})
