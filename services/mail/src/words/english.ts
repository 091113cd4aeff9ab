import type { BaseMailWords } from './mail-words.ts'

export const english: BaseMailWords = {
  direction: 'ltr',
  receipt: {
    subject: 'Your receipt from {seller}',
    title: 'Thank you for your order',
    text: '{seller} has received your payment of {amount}.',
    freeTitle: 'Thank you for your order',
    freeText: '{seller} has recorded your order. There is nothing to pay.',
    startedTitle: 'Your subscription has started',
    renewedTitle: 'Your subscription was renewed',
    changedTitle: 'The change of your plan is paid',
  },
  refund: {
    subject: 'Refund from {seller}',
    title: 'Your refund',
    text: '{seller} has refunded {amount}. It can take some days until the money appears on your account.',
  },
  paymentFailed: {
    subject: 'The payment for {product} failed',
    title: 'Your payment failed',
    text: 'The payment for {product} was declined. No money was taken. Your access is paused until it succeeds.',
  },
  cancelled: {
    subject: 'Your subscription to {product} is cancelled',
    title: 'Your subscription is cancelled',
    text: 'You keep access to {product} until {date}. The subscription does not renew.',
    pausedText:
      'Your access to {product} is paused because a payment failed. Once it succeeds, you have access until {date}. The subscription then ends.',
  },
  uncancelled: {
    subject: 'Your subscription to {product} continues',
    title: 'Your subscription continues',
    text: 'The cancellation of {product} was withdrawn. The next payment is due on {date}.',
  },
  ended: {
    subject: 'Your subscription to {product} has ended',
    title: 'Your subscription has ended',
    text: 'Your access to {product} has ended. The subscription does not renew.',
  },
  planChanged: {
    subject: 'Your plan at {seller} has changed',
    title: 'Your plan has changed',
    text: '{product} replaces {old}.',
  },
  invoice: {
    subject: 'Invoice {number} from {seller}',
    title: 'Your invoice',
    text: 'The invoice of {seller} is ready. The link is valid until {date}.',
  },
  creditNote: {
    subject: 'Credit note {number} from {seller}',
    title: 'Your credit note',
    text: 'The credit note of {seller} is ready. The link is valid until {date}.',
  },
  code: {
    subject: 'Your sign-in code for {seller}',
    title: 'Your sign-in code',
    text: 'Enter this code on the sign-in page of {seller}. It works once and is valid for 15 minutes.',
    warning: 'If you did not request it, ignore this mail. Never pass the code on: {seller} will not ask for it.',
  },
  invitation: {
    subject: 'Invitation to {seller}',
    title: 'You are invited',
    text: 'You are invited to become a member of {seller}. The invitation is valid until {date}.',
    warning: 'If you did not expect it, ignore this mail.',
  },
  facts: {
    date: 'Date',
    subtotal: 'Subtotal',
    discount: 'Discount',
    tax: 'Tax',
    total: 'Total',
    refunded: 'Refunded',
    price: 'Price',
    nextPayment: 'Next payment',
    accessUntil: 'Access until',
    number: 'Number',
    amount: 'Amount',
  },
  per: { month: '{amount} a month', year: '{amount} a year' },
  actions: {
    portal: 'Your purchases',
    pay: 'Pay now',
    invoice: 'Open the invoice',
    creditNote: 'Open the credit note',
    invitation: 'Open the invitation',
  },
  footers: {
    customer: 'You receive this mail because of your purchase from {seller}.',
    code: 'You receive this mail because your address was entered on the sign-in page of {seller}.',
    invitation: 'You receive this mail because a member of {seller} entered your address.',
  },
}
