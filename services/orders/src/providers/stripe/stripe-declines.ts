import { declineKinds, type Decline, type DeclineCode } from '../declines.ts'

/** The parts of an error that state why a payment was declined. */
export interface StripeDecline {
  code?: string | undefined
  decline_code?: string | undefined
  advice_code?: string | undefined
  network_advice_code?: string | undefined
}

/** Our codes by Stripe's: decline codes of card issuers and error codes of other payment methods. Others are `generic`. */
const codes: ReadonlyMap<string, DeclineCode> = new Map([
  ...translate('insufficient_funds', 'insufficient_funds balance_insufficient'),
  ...translate(
    'limit_exceeded',
    `card_velocity_exceeded withdrawal_count_limit_exceeded invalid_amount charge_exceeds_source_limit charge_exceeds_transaction_limit
    payment_limit_exceeded card_decline_rate_limit_exceeded payment_intent_rate_limit_exceeded`,
  ),
  ...translate('do_not_honor', 'do_not_honor call_issuer no_action_taken refer_to_customer'),
  ...translate('issuer_unavailable', 'issuer_not_available payment_method_provider_timeout'),
  ...translate(
    'processing_error',
    `processing_error reenter_transaction duplicate_transaction payment_method_not_available generic_could_not_process
    three_d_secure_authentication_upstream_error payment_intent_payment_attempt_failed setup_attempt_failed`,
  ),
  ...translate('try_again_later', 'try_again_later approve_with_id'),
  ...translate('generic', 'generic_decline card_declined testmode_decline payment_method_provider_decline'),
  ...translate('expired_card', 'expired_card expired_payment_method new_account_information_available'),
  ...translate(
    'incorrect_details',
    `incorrect_number incorrect_cvc incorrect_pin incorrect_zip incorrect_address incorrect_postal_code invalid_number invalid_cvc
    invalid_expiry_month invalid_expiry_year invalid_pin invalid_account invalid_account_number invalid_card_type account_number_invalid
    routing_number_invalid incorrect_account_holder_name branch_does_not_exist bank_account_unusable bank_account_unverified
    payment_method_billing_details_address_missing payment_method_invalid_parameter`,
  ),
  ...translate('lost_or_stolen', 'lost_card stolen_card pickup_card'),
  ...translate('account_closed', 'account_closed no_account bank_ownership_changed recipient_deceased'),
  ...translate('fraud_suspected', 'fraudulent merchant_blacklist security_violation highest_risk_level elevated_risk_level'),
  ...translate(
    'not_permitted',
    `card_not_supported not_permitted restricted_card service_not_allowed transaction_not_allowed pin_try_exceeded do_not_try_again
    previously_declined_do_not_retry bank_account_restricted bank_account_declined payment_method_restricted payment_method_unactivated
    payment_method_unsupported_type sepa_unsupported_account payment_intent_incompatible_payment_method debit_authorization_not_match
    three_d_secure_authentication_not_supported payment_method_bank_account_blocked rule`,
  ),
  ...translate('currency_not_supported', 'currency_not_supported payment_method_currency_mismatch'),
  ...translate(
    'mandate_invalid',
    `revocation_of_authorization revocation_of_all_authorizations stop_payment_order authorization_revoked debit_not_authorized debit_disputed
    payment_intent_mandate_invalid setup_intent_mandate_invalid billing_invalid_mandate india_recurring_payment_mandate_canceled
    invalid_authorization`,
  ),
  ...translate('method_detached', 'payment_method_unexpected_state'),
  ...translate(
    'authentication_required',
    'authentication_required authentication_not_handled mobile_device_authentication_required online_or_offline_pin_required offline_pin_required approval_required',
  ),
  ...translate(
    'authentication_failed',
    'authentication_failure payment_intent_authentication_failure setup_intent_authentication_failure payment_method_customer_decline',
  ),
  ...translate('abandoned', 'payment_intent_payment_attempt_expired setup_intent_setup_attempt_expired'),
])

function translate(code: DeclineCode, list: string): [string, DeclineCode][] {
  return list.split(/\s+/).map((theirs) => [theirs, code])
}

/** Advice of Stripe and of the card networks: never with these details again. */
const finalAdvice = new Set(['do_not_try_again', 'confirm_card_data'])
const finalNetworkAdvice = new Set(['01', '03', '21', '22', '40', '41', '42', '43'])
/** Advice of the card networks to wait, in hours. */
const hoursToWait: ReadonlyMap<string | undefined, number> = new Map(
  [1, 24, 48, 96, 144, 192, 240].map((hours, i) => [String(24 + i), hours]),
)

/** Translates a decline. The issuer's advice takes precedence over the code, and Stripe's summary of it over the network's number. */
export function toDecline(error: StripeDecline, now: Date): Decline {
  const providerCode = error.decline_code || error.code || null
  const code = codes.get(providerCode ?? '') ?? codes.get(error.code ?? '') ?? 'generic'
  const hours = hoursToWait.get(error.network_advice_code)
  const notBefore = hours === undefined ? null : new Date(now.getTime() + hours * 3_600_000)
  return { kind: readAdvice(error) ?? declineKinds[code], code, providerCode, notBefore }
}

function readAdvice({ advice_code, network_advice_code }: StripeDecline): Decline['kind'] | null {
  if (advice_code && finalAdvice.has(advice_code)) return 'hard'
  if (advice_code === 'try_again_later') return 'soft'
  if (network_advice_code && finalNetworkAdvice.has(network_advice_code)) return 'hard'
  return network_advice_code === '02' || hoursToWait.has(network_advice_code) ? 'soft' : null
}
