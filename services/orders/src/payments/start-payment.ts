import type { Transaction } from '@quittance/runtime/handler'
import { settleDuePaymentsJobName } from '../job-names.ts'
import type { Order } from '../orders/order.ts'
import type { Intent } from '../providers/provider.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'
import { ensurePayer } from '../payers/payers.ts'
import { Payment } from './payment.ts'
import { beforeFirstCall, type PaymentRequest } from './progress-columns.ts'
import { publishPaymentCreated } from './publish-payment.ts'
import { loadTerms } from './payment-terms.ts'
import type { Initiator } from './payment-progress.ts'

/** How an order is paid. */
export interface PaymentStart {
  order: Order
  account: ProviderAccount
  initiator: Initiator
  /** Null if the buyer sends the money. */
  source: Intent['source']
  /** The method is stored for later charges. */
  keep: boolean
  /** Where the provider sends a buyer back who left the page to pay; without it only methods that stay on the page can be used. */
  returnUrl?: string
  paymentMethodId?: string | null
  /** For release 0.1.0: the token of a payment by the sandbox. */
  sandboxToken?: string
  /** The request itself makes the calls until then; otherwise the job does, right after the commit. */
  leasedUntil?: Date
}

/** Starts the payment of an order. No call is made here. Returns its id. */
export async function startPayment(context: Transaction, start: PaymentStart): Promise<string> {
  const { em, now, sql, wake, traceparent } = context
  const { order, account, initiator, leasedUntil = null } = start
  await ensurePayer(sql, { customerId: order.customerId, paymentAccountId: account.id })
  const { hash, description, clockOffsetMs } = await loadTerms(sql, order.id)
  const payment = em.create(Payment, {
    organizationId: order.organizationId,
    orderId: order.id,
    checkoutId: order.checkoutId ?? null,
    amount: order.totalAmount,
    currency: order.currency,
    status: 'pending',
    ...beforeFirstCall,
    initiator,
    provider: account.provider,
    paymentAccountId: account.id,
    mode: account.mode,
    paymentMethodId: start.paymentMethodId ?? null,
    confirmationToken: account.id === null ? (start.sandboxToken ?? '') : '',
    request: buildRequest(start, description),
    termsHash: hash,
    clockOffsetMs,
    nextCheckAt: now,
    leasedUntil,
    dueAt: null,
    traceparent,
  })
  if (!leasedUntil) wake(settleDuePaymentsJobName)
  await publishPaymentCreated(context, payment)
  return payment.id
}

function buildRequest({ order, initiator, source, keep, returnUrl }: PaymentStart, description: string): PaymentRequest {
  return {
    keep,
    source,
    description,
    returnUrl: returnUrl ?? null,
    statement: null,
    buyerPresent: initiator === 'buyer' || initiator === 'buyer_again',
    references: { organization: order.organizationId, customer: order.customerId, order: order.id },
  }
}
