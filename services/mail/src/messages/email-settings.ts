import type { Organization } from '@quittance/contracts/organizations'
import type { MailData } from '../content/mail-data.ts'

type Settings = Organization['customer_email_settings']

/** Returns the setting by which a seller switches off a mail; null for mails that are always sent. */
export function findEmailSetting(data: MailData): keyof Settings | null {
  switch (data.kind) {
    case 'receipt':
      return receiptSetting(data)
    // The public contract has no separate settings for these; they belong to the order.
    case 'refund':
    case 'invoice':
    case 'credit_note':
      return 'order_confirmation'
    case 'payment_failed':
      return 'subscription_past_due'
    case 'subscription_cancelled':
      return 'subscription_cancellation'
    case 'subscription_uncancelled':
      return 'subscription_uncanceled'
    case 'subscription_ended':
      return 'subscription_revoked'
    case 'renewal_ahead':
      return 'subscription_renewal_reminder'
    case 'trial_ending':
      return 'subscription_trial_conversion_reminder'
    case 'plan_changed':
    case 'plan_confirmation':
      return 'subscription_updated'
    case 'customer_code':
    case 'invitation':
    case 'password_reset':
    // Without it the buyer cannot pay.
    case 'transfer_request':
    // These go to the seller, and the law demands the others.
    case 'declaration_notice':
    case 'endpoint_disabled':
    case 'payment_account_unhealthy':
    case 'withdrawal_receipt':
    case 'cancellation_receipt':
      return null
  }
}

function receiptSetting({ reason, isAfterTrial }: Extract<MailData, { kind: 'receipt' }>): keyof Settings {
  switch (reason) {
    case 'purchase':
      return 'order_confirmation'
    case 'subscription_create':
      return 'subscription_confirmation'
    case 'subscription_cycle':
      return isAfterTrial ? 'subscription_cycled_after_trial' : 'subscription_cycled'
    case 'subscription_update':
      return 'subscription_updated'
  }
}

/** Mails that a customer does not need in order to use a purchase. All others follow a purchase or a request, and have no opt-out. */
const optionalKinds: ReadonlySet<MailData['kind']> = new Set(['renewal_ahead', 'trial_ending'])

/** Whether the recipient can stop mails of this kind. */
export function isOptional(kind: MailData['kind']): boolean {
  return optionalKinds.has(kind)
}
