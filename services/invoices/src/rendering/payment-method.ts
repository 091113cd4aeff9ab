import type { DocumentModel } from './document-model.ts'

/** Names of card brands and methods as their owners write them. Other brands are written as the provider names them. */
const names: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  sepa_debit: 'SEPA',
  paypal: 'PayPal',
  link: 'Link',
  klarna: 'Klarna',
}

/** Returns the method of payment with at most four digits, such as `Visa •••• 4242`, which never breaks; null if nothing is known. */
export function paymentMethod(payment: DocumentModel['payment']): string | null {
  if (!payment) return null
  const { type, brand, last4 } = payment
  const name = brand && brand !== 'unknown' ? (names[brand] ?? brand) : names[type]
  const digits = /^[0-9A-Za-z]{4}$/.test(last4 ?? '') ? `•••• ${last4}` : null
  return [name, digits].filter(Boolean).join(' ').replaceAll(' ', '\u00a0') || null
}
