import { z } from 'zod'
import { Conflict, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, isStorableTime, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Amount, Currency, maxAmount } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { Refund } from './refunds.ts'

const BookingDate = z.iso
  .date()
  .refine((date) => isStorableTime(`${date}T00:00:00Z`), 'Must be in the years 1 to 9999.')
  .describe('When the bank booked it.')

const BankReference = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e]{1,140}$/, 'Must be 1 to 140 printable ASCII characters.')
  .meta({ example: '2026-11-24/0001' })

/** Money that arrived on a bank account. */
export const BankReceipt = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    payment_account_id: Id,
    payment_id: Id.nullable().describe('The payment it belongs to; null while that is not known.'),
    amount: Amount,
    currency: Currency,
    booked_on: BookingDate,
    reference: z.string().nullable().describe('What the payer wrote.'),
    payer_name: z.string().nullable(),
    bank_reference: z.string().describe('Identifies it at the bank: the same one is counted once.'),
    source: z.enum(['seller', 'statement']),
    unapplied_amount: Amount.nullish().describe(
      'What no order has taken and the seller has not returned: of a receipt without a payment, of a payment that is not complete, or over.',
    ),
    returned_amount: Amount.nullish().describe('What the seller has returned of it, other than by a refund.'),
    returned_at: Timestamp.nullish(),
    surplus_refund_id: Id.nullish().describe(
      'The refund that returns its payment, because no order needs it. Return the money and mark the refund as paid; then it is null.',
    ),
  })
  .meta({ id: 'BankReceipt' })
export type BankReceipt = z.infer<typeof BankReceipt>

// A receipt makes an order paid, so it needs the scope that decides about money of the organization.
const write = { scopes: ['payment_accounts:write'], callers: ['organization', 'user'] } as const

export const addReceipt = operation({
  subject: 'orders.payment.add-receipt',
  summary: 'Record money that arrived on the bank account for a payment by bank transfer',
  http: { method: 'POST', path: '/v1/payments/{id}/receipts', status: 201, ...write },
  request: z.object({
    id: Id,
    amount: z.int().min(1).max(maxAmount).describe('In minor units of the currency of the payment.'),
    booked_on: BookingDate,
    bank_reference: BankReference.describe(
      'The reference of the bank. That of a receipt without a payment assigns it to this one, as that of one of which a payment that has ended took nothing.',
    ),
    note: z.string().max(140).nullish(),
  }),
  reply: BankReceipt,
  errors: [RequestValidationError, ResourceNotFound, Conflict],
})

export const listBankReceipts = operation({
  subject: 'orders.bank-receipt.list',
  summary: 'List money that arrived on bank accounts',
  http: {
    method: 'GET',
    path: '/v1/bank-receipts/',
    status: 200,
    scopes: ['payments:read', 'payment_accounts:read', 'payment_accounts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    payment_account_id: oneOrMany(Id),
    payment_id: oneOrMany(Id),
    is_matched: z.boolean().optional().describe('`false`: those without a payment.'),
    is_unapplied: z.boolean().optional().describe('`true`: those with an `unapplied_amount`.'),
    is_surplus: z.boolean().optional().describe('`true`: those that the seller has to return, with `surplus_refund_id`.'),
    sorting: sorting(['created_at', 'booked_on', 'amount'], '-created_at'),
  }),
  reply: ListReply(BankReceipt),
  errors: [],
})

/** A line of a bank statement, with its outcome. */
const StatementLine = z.object({
  bank_reference: z.string(),
  amount: Amount,
  currency: z.string(),
  booked_on: BookingDate,
  reference: z.string().nullable().describe('The begin of what the payer wrote, at most 100 characters; the receipt has more.'),
  payer_name: z.string().nullable(),
  payment_id: Id.nullable(),
})

export const importStatement = operation({
  subject: 'orders.payment-account.import-statement',
  summary: 'Import a bank statement: each booked credit is assigned to the payment whose reference it names',
  http: { method: 'POST', path: '/v1/payment-accounts/{id}/statements', status: 200, ...write },
  request: z.object({
    id: Id,
    document: z
      .string()
      .min(1)
      .max(400_000)
      .describe(
        'CAMT.053 by ISO 20022, version 02 or 08, as XML. Its credits are compared with receipts of the same day, reference of the bank and amount: some 500,000 pairs, and 10,000 receipts; more is 422.',
      ),
  }),
  reply: z.object({
    matched: z
      .array(StatementLine)
      .describe(
        'Assigned to the payment that they name, by this import. What that payment does not need is unapplied. One recorded before without a payment is too, once the bank has completed its text.',
      ),
    unmatched: z.array(StatementLine).describe('Kept without a payment; `add-receipt` assigns them.'),
    known: z.array(StatementLine).describe('Recorded before, and not assigned by this import.'),
    conflicting: z
      .array(StatementLine)
      .describe(
        'Another amount or currency is recorded under this reference: by the seller, or because a statement had all of a collective booking and another its parts. Nothing was recorded.',
      ),
    reversed: z.array(StatementLine).describe('Reversals by the bank, which are never applied.'),
  }),
  errors: [RequestValidationError, ResourceNotFound, Conflict],
})

export const markReceiptAsReturned = operation({
  subject: 'orders.bank-receipt.mark-as-returned',
  summary: 'Record that the seller has returned the unapplied amount of a receipt; a repeated request changes nothing',
  http: { method: 'POST', path: '/v1/bank-receipts/{id}/mark-as-returned', status: 200, ...write },
  request: z.object({ id: Id }),
  reply: BankReceipt,
  errors: [ResourceNotFound, Conflict],
})

export const markRefundAsPaid = operation({
  subject: 'orders.refund.mark-as-paid',
  summary: 'Record that the seller has returned the money of a refund by bank transfer',
  http: {
    method: 'POST',
    path: '/v1/refunds/{id}/mark-as-paid',
    status: 200,
    scopes: ['payment_accounts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: Refund,
  errors: [ResourceNotFound, Conflict],
})
