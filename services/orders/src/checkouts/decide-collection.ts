import { PaymentError, type confirmCheckout } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import type { CommandContext } from '@quittance/runtime/handler'
import type { Product } from '../catalog/products/product.ts'
import { noPaymentsMessage } from '../payments/buyer-messages.ts'
import type { TokenCheck } from '../payments/check-token.ts'
import { assertAmountAccepted, findAccountForPayments, type PaymentMeans } from '../payments/provider-account.ts'
import type { OfferedTrial } from '../pricing/billing-period.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'
import type { Checkout } from './checkout.ts'
import { assertMayPay } from './payment-attempts.ts'

/** How the amount of a checkout is collected. */
export interface Collection {
  trial: OfferedTrial | null
  /** The account that collects it or stores the method; null if nothing is ever to be paid. */
  account: ProviderAccount | null
  /** Of the buyer; null if nothing is to be paid, or the buyer sends the money. */
  token: string | null
  /** The same where no provider stores the method: the token is kept for later charges. */
  sandboxToken: string | null
  /** The method is stored now, and charged at the end of the trial or of the free period. */
  isSetup: boolean
}

interface Purchase {
  checkout: Checkout
  product: Product
  request: Pick<RequestOf<typeof confirmCheckout>, 'payment_method_type' | 'confirmation_token_id'>
}

/** Decides how a priced checkout is collected. Throws if it cannot be, or if the buyer has not entered what that needs. */
export async function decideCollection(
  { checkout, product, request }: Purchase,
  context: CommandContext & { prepared: TokenCheck | undefined },
): Promise<Collection> {
  const trial = checkout.findTrial(product)
  const isChargeable = trial ? trial.needsMethod : checkout.isChargeable(product.recurringInterval !== null)
  const byTransfer = request.payment_method_type === 'bank_transfer'
  const means = isChargeable ? await findMeans({ checkout, trial, byTransfer }, context) : null
  const needsToken = means !== null && !means.isSentByBuyer
  checkout.assertComplete(needsToken ? (request.confirmation_token_id ?? '') : null)
  const token = needsToken ? (request.confirmation_token_id as string) : null
  if (token) await assertMayPay(checkout, context)
  if (token && context.prepared === 'unusable')
    throw new PaymentError('The payment failed. Please try again with a different payment method.')
  const isAtProvider = Boolean(token && means?.account.id)
  const isFreeAtFirst = isAtProvider && checkout.totalAmount() === 0n
  const account = means?.account ?? null
  return { trial, account, token, sandboxToken: isAtProvider ? null : token, isSetup: trial !== null || isFreeAtFirst }
}

interface Search {
  checkout: Checkout
  trial: OfferedTrial | null
  byTransfer: boolean
}

async function findMeans({ checkout, trial, byTransfer }: Search, { sql }: CommandContext): Promise<PaymentMeans> {
  const { organizationId, currency } = checkout
  const means = await findAccountForPayments(sql, { organizationId, currency, byTransfer })
  // What the buyer sends cannot be charged at the end of a trial.
  const sent = trial && !means ? await findAccountForPayments(sql, { organizationId, currency, byTransfer: true }) : means
  if (trial && sent?.isSentByBuyer) throw createTrialByTransferError()
  if (!means) throw new PaymentError(noPaymentsMessage)
  if (!trial) assertAmountAccepted(means.account, { amount: checkout.totalAmount(), currency })
  return means
}

/** Its type shows clients that the buyer has not had a trial. */
function createTrialByTransferError(): RequestValidationError {
  const text =
    'The trial needs a payment method that can be charged at its end. A bank transfer cannot; set allow_trial to false to order without a trial.'
  return RequestValidationError.field(['allow_trial'], text, 'trial_needs_payment_method')
}
