import type { CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import { expect, test } from 'vitest'
import type { PageContext } from '../page/page-context.ts'
import { wordsIn } from '../words/all-words.ts'
import { describePastDue } from './describe-past-due.ts'

const context = { words: wordsIn('en'), locale: 'en' } as PageContext
const next = '2026-12-02T10:00:00Z'
const end = '2026-12-17T10:00:00Z'

function describe(times: Partial<CustomerSubscription>): string {
  const { text } = describePastDue({ cancel_at_period_end: false, ...times } as CustomerSubscription, context)
  return text.replaceAll(/<[^>]+>/g, '').trim()
}

test('a customer whose transfer is late reads when the next request comes, and no word of a card', () => {
  const late = { is_paid_by_transfer: true, next_payment_attempt_at: next, ends_unpaid_at: end }
  const asked = 'Your bank transfer has not arrived in time. You receive a new request for the transfer on December 2, 2026.'
  expect(describe(late)).toBe(asked)
  const ends = 'Your bank transfer has not arrived in time.  Without a payment, the subscription ends on December 17, 2026.'
  expect(describe({ ...late, next_payment_attempt_at: null })).toBe(ends)
})

test('a customer whose card was declined reads when it is charged again, or that only they can pay', () => {
  const declined = { next_payment_attempt_at: next, ends_unpaid_at: end }
  expect(describe(declined)).toBe('The last payment was declined. The payment is tried again on December 2, 2026.')
  expect(describe({ ...declined, next_payment_attempt_at: null })).toMatch(/pay now.* ends on December 17, 2026\.$/)
  expect(describe({})).toBe('The last payment was declined.')
})
