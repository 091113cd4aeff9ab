import { CheckoutPublic } from '@quittance/contracts/checkout'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { expect, test } from 'vitest'
import type { PageContext } from '../page/page-context.ts'
import { wordsIn } from '../words/all-words.ts'
import { findPaymentMethod } from './payment-methods.ts'

test.each([
  ['test cards', 'sandbox'],
  ['a bank transfer', 'bank_transfer'],
])('the error of the payment stands at the field that the error summary links to: %s', (_, provider) => {
  const payable = { ...(buildContractExample(CheckoutPublic) as CheckoutPublic), payment_processor_metadata: { provider } }
  const context = { words: wordsIn('en') } as PageContext
  const render = (error: string | null) => findPaymentMethod(payable)?.render({ payable, context, token: '', error }).text ?? ''
  const field = /<input(?=[^>]*id="field-confirmation_token_id")[^>]*>/.exec(render('Choose how to pay.'))?.[0]
  expect(field).toMatch(/aria-invalid="true" aria-describedby="field-confirmation_token_id-error"/)
  expect(render('Choose how to pay.')).toContain('<span class="error" id="field-confirmation_token_id-error">Choose how to pay.</span>')
  expect(render(null)).not.toMatch(/error|aria-invalid/)
})
