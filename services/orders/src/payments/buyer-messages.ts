import { declineMessages } from '../providers/declines.ts'
import type { Payment } from './payment.ts'

/** The seller cannot take payments; the reason is in the log, not for buyers. */
export const noPaymentsMessage = 'This seller cannot take payments right now.'

/** Returns what a buyer sees about a failed payment: never the text of the provider. */
export function describeFailure({ failureReason, declineCode }: Pick<Payment, 'failureReason' | 'declineCode'>): string {
  if (failureReason === 'misconfigured') return noPaymentsMessage
  return (declineCode && declineMessages[declineCode]) ?? declineMessages.generic
}
