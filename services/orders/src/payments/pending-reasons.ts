import type { PendingReason } from '@quittance/contracts/payments'

/** What an open payment waits for, in SQL: of payment `pa` and its account `a`. Null once it is final. */
export const pendingReason = `case when not pa.is_open then null
  when pa.quarantined_at is not null then 'under_review'
  when pa.state = 'closing' then 'closing'
  when pa.state = 'requires_action' and pa.action->>'by' = 'transfer' then 'waiting_for_transfer'
  when pa.state = 'requires_action' then 'waiting_for_buyer'
  when a.health->>'is_healthy' = 'false' then 'account_misconfigured'
  when pa.unanswered_since is not null then 'answer_unknown'
  else 'waiting_for_provider' end`

const messages: Record<PendingReason, string> = {
  waiting_for_provider: 'The provider has not decided yet.',
  waiting_for_buyer: 'The buyer has to confirm the payment with their bank.',
  waiting_for_transfer: 'The buyer has been asked to send the money.',
  answer_unknown: 'The provider has not answered. The payment is read until it does.',
  account_misconfigured: 'The provider rejects the payment account. Check its credentials and permissions.',
  under_review: 'The payment at the provider differs from this one, or was not answered for a day. An operator has to decide.',
  closing: 'The payment was declined or abandoned, and is being canceled at the provider.',
}

/** The same as a sentence, in SQL. */
export const pendingMessage = `case (${pendingReason}) ${Object.entries(messages)
  .map(([reason, text]) => `when '${reason}' then '${text}'`)
  .join(' ')} end`
