/** Behaviour of a test card. */
export interface TestCard {
  /** Decline code of every charge. */
  declined?: string
  /** Decline code of charges while the buyer is absent. */
  declinedLater?: string
  /** `always`: every charge needs the buyer. `setup`: only while the buyer is present, later charges do not. */
  authentication?: 'always' | 'setup'
  /** The charge is completed days later: a bank debit. */
  isSlow?: boolean
  /** Refunds begin as pending. */
  isRefundPending?: boolean
  /** The charge is disputed at once. */
  isDisputed?: boolean
}

/** Names of Stripe's test methods with their documented behaviour (https://docs.stripe.com/testing). */
export const testCards: Readonly<Record<string, TestCard>> = {
  pm_card_visa: {},
  pm_card_mastercard: {},
  pm_card_visa_chargeDeclined: { declined: 'generic_decline' },
  pm_card_visa_chargeDeclinedInsufficientFunds: { declined: 'insufficient_funds' },
  pm_card_visa_chargeDeclinedLostCard: { declined: 'lost_card' },
  pm_card_visa_chargeDeclinedStolenCard: { declined: 'stolen_card' },
  pm_card_chargeDeclinedExpiredCard: { declined: 'expired_card' },
  pm_card_chargeDeclinedIncorrectCvc: { declined: 'incorrect_cvc' },
  pm_card_chargeDeclinedProcessingError: { declined: 'processing_error' },
  pm_card_chargeDeclinedFraudulent: { declined: 'fraudulent' },
  pm_card_chargeCustomerFail: { declinedLater: 'generic_decline' },
  pm_card_authenticationRequired: { authentication: 'always' },
  pm_card_authenticationRequiredOnSetup: { authentication: 'setup' },
  pm_card_pendingRefund: { isRefundPending: true },
  pm_card_refundFail: {},
  pm_card_createDispute: { isDisputed: true },
  pm_success_sepaDebit: { isSlow: true },
}

/** Decline codes that are error codes at the same time; others have the code `card_declined`. */
export const declinesWithOwnCode = new Set(['expired_card', 'incorrect_cvc', 'processing_error', 'authentication_required'])

/** Advice that Stripe gives with some declines. */
export const adviceByDecline: Readonly<Record<string, string>> = {
  insufficient_funds: 'try_again_later',
  processing_error: 'try_again_later',
  generic_decline: 'try_again_later',
  lost_card: 'do_not_try_again',
  stolen_card: 'do_not_try_again',
  fraudulent: 'do_not_try_again',
  expired_card: 'confirm_card_data',
  incorrect_cvc: 'confirm_card_data',
}
