/** Reasons for a decline by what follows. Unknown codes of a provider are `generic`. */
export const declineKinds = {
  insufficient_funds: 'soft',
  limit_exceeded: 'soft',
  do_not_honor: 'soft',
  issuer_unavailable: 'soft',
  processing_error: 'soft',
  try_again_later: 'soft',
  generic: 'soft',
  expired_card: 'hard',
  incorrect_details: 'hard',
  lost_or_stolen: 'hard',
  account_closed: 'hard',
  fraud_suspected: 'hard',
  not_permitted: 'hard',
  currency_not_supported: 'hard',
  mandate_invalid: 'hard',
  method_detached: 'hard',
  authentication_required: 'needs_buyer',
  authentication_failed: 'needs_buyer',
  abandoned: 'needs_buyer',
} as const satisfies Record<string, DeclineKind>

export type DeclineCode = keyof typeof declineKinds

/** `soft`: a later attempt may succeed. `hard`: never with this method. `needs_buyer`: with the buyer present it may succeed. */
export type DeclineKind = 'soft' | 'hard' | 'needs_buyer'

/** A declined payment. The kind may differ from `declineKinds` where the issuer gave advice, which takes precedence. */
export interface Decline {
  kind: DeclineKind
  code: DeclineCode
  /** The provider's code. */
  providerCode: string | null
  /** Earliest time of the next attempt, if the issuer named one. */
  notBefore: Date | null
}

const declined = 'The payment was declined. Please try another payment method.'

/** Sentences for buyers and sellers, never the provider's text. A lost or stolen card looks like any other decline. */
export const declineMessages: Readonly<Partial<Record<DeclineCode, string>> & { generic: string }> = {
  generic: declined,
  insufficient_funds: 'There are not enough funds for this payment.',
  expired_card: 'The card has expired.',
  incorrect_details: 'The details of the payment method are not correct.',
  authentication_required: 'Please confirm this payment with your bank.',
  authentication_failed: 'Please confirm this payment with your bank.',
}
