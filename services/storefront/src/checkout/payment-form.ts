import type { CheckoutPublic } from '@quittance/contracts/checkout'
import type { PageContext } from '../page/page-context.ts'

/** A sum that a form can pay: of a checkout, or of an order that is owed. */
export interface Payable extends Pick<CheckoutPublic, 'payment_processor_metadata' | 'total_amount' | 'currency' | 'is_payment_required'> {
  organization: Pick<CheckoutPublic['organization'], 'name'>
}

/** What a method needs to show its part of the form. */
export interface PaymentForm {
  payable: Payable
  context: PageContext
  /** Token that was sent before. */
  token: string
  error: string | null
}
