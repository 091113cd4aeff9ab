import { expect, test } from 'vitest'
import type { PageContext } from '../page/page-context.ts'
import { wordsIn } from '../words/all-words.ts'
import { toOrderErrors } from './order-errors.ts'

const context = { words: wordsIn('en') } as PageContext
const issue = (type: string, ...path: string[]) => ({ loc: ['body', ...path], msg: '', type })

test.each([
  ['the seller’s own details are missing', 'MissingInvoiceBillingDetails', [], null, 'The seller has to complete its own'],
  ['the order is not paid', 'NotPaidOrder', [], null, 'once the order is paid'],
  [
    'its tax is of another place',
    'RequestValidationError',
    [issue('tax_place', 'billing_address', 'country')],
    'billing_address.country',
    'another country',
  ],
  [
    'the state is unknown',
    'RequestValidationError',
    [issue('value_error', 'billing_address', 'state')],
    'billing_address.state',
    'Choose your state',
  ],
  [
    'the name has a control character',
    'RequestValidationError',
    [issue('value_error', 'billing_name')],
    'billing_name',
    'Enter your full name',
  ],
] as const)('billing details are rejected because %s', (...[, error, issues, field, message]) => {
  expect(toOrderErrors({ error, issues: [...issues] }, context)).toEqual([{ field, message: expect.stringContaining(message) as string }])
})
