import type { CheckoutPublic } from '@quittance/contracts/checkout'
import type { AppliedTax } from '@quittance/contracts/taxes'
import { chooseLocale } from '@quittance/pages/locale'
import { describe, expect, test } from 'vitest'
import type { PageContext } from '../page/page-context.ts'
import { wordsIn } from '../words/all-words.ts'
import type { CheckoutForm } from './checkout-form.ts'
import { nameOrderButton } from './order-button.ts'
import { describeRenewal } from './order-summary.ts'
import { findPaymentMethod } from './payment-methods.ts'

const context = { ...chooseLocale({ chosen: 'en' }), words: wordsIn('en'), theme: null } as PageContext

interface Sale {
  total: number
  interval?: 'month' | null
  isPaymentNeeded?: boolean
  trialEnd?: string | null
  /** Tax of the place of the buyer, with a discount on the first period. */
  vat?: Pick<AppliedTax, 'percentage' | 'reverse_charge'> | null
}

/** Only what the words of the button depend on. */
function nameButton(country: string | null, { total, interval = null, isPaymentNeeded = true, trialEnd = null, vat = null }: Sale): string {
  const checkout = {
    currency: 'usd',
    amount: 1200,
    total_amount: total,
    tax_amount: 0,
    taxes: vat ? [vat] : [],
    tax_behavior: 'exclusive',
    discount: vat ? { duration: 'once' } : null,
    is_payment_form_required: isPaymentNeeded,
    trial_end: trialEnd,
    product: { recurring_interval: interval },
  } as CheckoutPublic
  return nameOrderButton({ checkout, form: { country } as CheckoutForm, context })
}

test('outside of the EEA the button names the sum; a free order is confirmed [pages 31]', () => {
  expect(nameButton('US', { total: 4900 })).toBe('Pay $49.00')
  expect(nameButton('US', { total: 1200, interval: 'month' })).toBe('Subscribe and pay $12.00')
  expect(nameButton('US', { total: 0, isPaymentNeeded: false })).toBe('Confirm order')
  expect(nameButton('DE', { total: 0, isPaymentNeeded: false })).toBe('Confirm order')
})

test('after a free first period the button states that tax is added to the renewals', () => {
  const free = { total: 0, interval: 'month' } as const
  const rate = { percentage: 7.25, reverse_charge: false }
  expect(nameButton('US', { ...free, vat: rate })).toBe('Subscribe and pay $12.00 plus tax')
  expect(nameButton('US', { ...free, vat: { ...rate, reverse_charge: true } })).toBe('Subscribe and pay $12.00')
})

test('in the EEA, and while the country is unknown, it has the words of the directive and no sum [pages 32]', () => {
  for (const country of ['DE', 'NO', null]) {
    expect(nameButton(country, { total: 4900 })).toBe('Order with obligation to pay')
    // Nothing is due today, and later payments are.
    expect(nameButton(country, { total: 0, interval: 'month' })).toBe('Order with obligation to pay')
  }
})

test('a trial has the words of the directive in the EEA, also if it costs under a condition only [pages 32]', () => {
  const trial = { total: 1200, interval: 'month', isPaymentNeeded: false, trialEnd: '2026-12-09T10:00:00Z' } as const
  for (const country of ['DE', 'NO', null]) expect(nameButton(country, trial)).toBe('Order with obligation to pay')
  expect(nameButton('US', trial)).toBe('Start the free trial')
})

test('without a processor no way to pay is offered [pages 48]', () => {
  expect(findPaymentMethod({ payment_processor_metadata: {} })).toBeNull()
  expect(findPaymentMethod({ payment_processor_metadata: { provider: 'unknown' } })).toBeNull()
  expect(findPaymentMethod({ payment_processor_metadata: { provider: 'sandbox' } })?.provider).toBe('sandbox')
})

describe('a discount of several months', () => {
  const buildRenewal = (
    discount: object | null,
    { interval = 'month', total = 600 }: { interval?: 'month' | 'year'; total?: number } = {},
  ) =>
    describeRenewal(
      {
        currency: 'usd',
        amount: 1200,
        total_amount: total,
        tax_amount: 0,
        taxes: [],
        tax_behavior: 'exclusive',
        discount,
        trial_end: '2026-01-31T12:00:00Z',
        product: { recurring_interval: interval },
      } as unknown as CheckoutPublic,
      context,
    )
  const repeating = (months: number) => ({ duration: 'repeating', duration_in_months: months })

  test('the next renewals have it, and the price after it is named with its date', () => {
    expect(buildRenewal(repeating(3))).toMatchObject({
      first: '$6.00',
      next: '$6.00',
      sum: '$12.00',
      discountEnd: 'The discount ends on April 30, 2026. From then on, each renewal costs $12.00.',
    })
    expect(buildRenewal(repeating(13), { interval: 'year' })).toMatchObject({
      discountEnd: 'The discount ends on January 31, 2028. From then on, each renewal costs $12.00.',
    })
  })

  test('one that covers the first period alone, and one without an end, name one price', () => {
    for (const discount of [repeating(1), { duration: 'once' }]) {
      expect(buildRenewal(discount)).toMatchObject({ first: '$6.00', next: '$12.00', discountEnd: null })
    }
    expect(buildRenewal(repeating(12), { interval: 'year' })).toMatchObject({ next: '$12.00', discountEnd: null })
    for (const discount of [{ duration: 'forever' }, repeating(2_147_483_647)]) {
      expect(buildRenewal(discount)).toMatchObject({ next: '$6.00', sum: '$6.00', discountEnd: null })
    }
  })
})
