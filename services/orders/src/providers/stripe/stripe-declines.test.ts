import { expect, test } from 'vitest'
import { toDecline } from './stripe-declines.ts'

const now = new Date('2026-11-23T12:00:00Z')

/** https://docs.stripe.com/declines/codes */
const documented = {
  soft: `approve_with_id call_issuer card_velocity_exceeded do_not_honor duplicate_transaction generic_decline insufficient_funds invalid_amount
    issuer_not_available no_action_taken processing_error reenter_transaction testmode_decline try_again_later
    withdrawal_count_limit_exceeded`,
  hard: `card_not_supported currency_not_supported do_not_try_again expired_card fraudulent incorrect_address incorrect_cvc incorrect_number
    incorrect_pin incorrect_zip invalid_account invalid_cvc invalid_expiry_month invalid_expiry_year invalid_number invalid_pin lost_card
    merchant_blacklist new_account_information_available not_permitted pickup_card pin_try_exceeded previously_declined_do_not_retry
    restricted_card revocation_of_all_authorizations revocation_of_authorization security_violation service_not_allowed stolen_card
    stop_payment_order transaction_not_allowed`,
  needs_buyer: `authentication_not_handled authentication_required mobile_device_authentication_required offline_pin_required
    online_or_offline_pin_required`,
}
const pairs = Object.entries(documented).flatMap(([kind, list]) => list.split(/\s+/).map((code) => [code, kind] as const))

/** These alone state no reason. */
const withoutReason = new Set(['generic_decline', 'testmode_decline'])

test.each(pairs)('translates the decline code %s as %s [payments 59]', (code, kind) => {
  const decline = toDecline({ code: 'card_declined', decline_code: code }, now)
  expect(decline).toMatchObject({ kind, providerCode: code, notBefore: null })
  expect(decline.code === 'generic').toBe(withoutReason.has(code))
})

test.each([
  ['do_not_try_again', 'hard'],
  ['confirm_card_data', 'hard'],
  ['try_again_later', 'soft'],
])('prefers the advice %s to every code [payments 59]', (advice_code, kind) => {
  for (const [decline_code] of pairs) expect(toDecline({ decline_code, advice_code, network_advice_code: '03' }, now).kind).toBe(kind)
})

test('prefers the advice of the card network to the code, and waits as long as it demands [payments 59]', () => {
  expect(toDecline({ decline_code: 'insufficient_funds', network_advice_code: '03' }, now).kind).toBe('hard')
  expect(toDecline({ decline_code: 'do_not_honor', network_advice_code: '02' }, now)).toMatchObject({ kind: 'soft', notBefore: null })
  expect(toDecline({ decline_code: 'expired_card', network_advice_code: '24' }, now)).toEqual({
    kind: 'soft',
    code: 'expired_card',
    providerCode: 'expired_card',
    notBefore: new Date('2026-11-23T13:00:00Z'),
  })
})

test('translates error codes of methods without a decline code', () => {
  expect(toDecline({ code: 'debit_not_authorized' }, now)).toMatchObject({ kind: 'hard', code: 'mandate_invalid' })
  expect(toDecline({ code: 'payment_intent_authentication_failure' }, now)).toMatchObject({
    kind: 'needs_buyer',
    code: 'authentication_failed',
  })
})

test('treats an unknown code as generic and keeps it', () => {
  expect(toDecline({ code: 'card_declined', decline_code: 'of_next_year' }, now)).toMatchObject({
    code: 'generic',
    providerCode: 'of_next_year',
  })
  expect(toDecline({ decline_code: 'constructor' }, now).code).toBe('generic')
  expect(toDecline({}, now)).toEqual({ kind: 'soft', code: 'generic', providerCode: null, notBefore: null })
})
