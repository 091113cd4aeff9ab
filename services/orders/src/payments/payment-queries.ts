import {
  getPayment as getPaymentContract,
  listPayments as listPaymentsContract,
  type Payment,
  type PendingReason,
} from '@quittance/contracts/payments'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, toArray } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'
import { declineMessages } from '../providers/declines.ts'

const isFailed = `pa.state in ('closing', 'failed')`
const status = `case when pa.state = 'succeeded' then 'succeeded' when ${isFailed} then 'failed' else 'pending' end`

/** The type of a method that is not stored is not stored either: what is not a transfer is a card. */
const method = `coalesce(m.type, case pa.provider when 'bank_transfer' then 'bank_transfer' else 'card' end)`

/** Release 0.1.0 records no initiator: its payments without a checkout are those of periods. */
const trigger = `case pa.initiator when 'buyer_again' then 'retry_customer' when 'method_updated' then 'retry_payment_method_update'
  when 'seller' then 'retry_admin' else case when pa.checkout_id is not null then 'purchase'
    when exists (select from payments earlier where earlier.order_id = pa.order_id and earlier.created_at < pa.created_at) then 'retry_dunning'
    else 'subscription_cycle' end end`

const declineMessage = `case when pa.decline_code is null then null ${Object.entries(declineMessages)
  .map(([code, text]) => `when pa.decline_code = '${code}' then '${text}'`)
  .join(' ')} else '${declineMessages.generic}' end`

/** The sandbox has no account whose health could be stored. What it rejected is prepared, was checked, and counts as not sent. */
const isRejectedBySandbox = `(pa.payment_account_id is null and pa.state = 'prepared' and pa.sends = 0 and pa.checks > 0)`

/** What an open payment waits for, in SQL: of payment `pa` and its account `a`. Null once it is final. */
const pendingReason = `case when not pa.is_open then null
  when pa.quarantined_at is not null then 'under_review'
  when pa.state = 'closing' then 'closing'
  when pa.state = 'requires_action' and pa.action->>'by' = 'transfer' then 'waiting_for_transfer'
  when pa.state = 'requires_action' then 'waiting_for_buyer'
  when a.health->>'is_healthy' = 'false' or ${isRejectedBySandbox} then 'account_misconfigured'
  when pa.unanswered_since is not null then 'answer_unknown'
  else 'waiting_for_provider' end`

const pendingMessages: Record<PendingReason, string> = {
  waiting_for_provider: 'The provider has not decided yet.',
  waiting_for_buyer: 'The buyer has to confirm the payment with their bank.',
  waiting_for_transfer: 'The buyer has been asked to send the money.',
  answer_unknown: 'The provider has not answered. The payment is read until it does.',
  account_misconfigured: 'The provider rejects the payment account. Check its credentials and permissions.',
  under_review: 'The payment at the provider differs from this one, or was not answered for a day. An operator has to decide.',
  closing: 'The payment was declined or abandoned, and is being canceled at the provider.',
}

/** The same as a sentence, in SQL. */
const pendingMessage = `case (${pendingReason}) ${Object.entries(pendingMessages)
  .map(([reason, text]) => `when '${reason}' then '${text}'`)
  .join(' ')} end`

/** Payments as sellers see them; `pa` is the payment. */
export const paymentView: View<Payment> = {
  name: 'payment',
  organization: 'pa.organization_id',
  customer: '(select o.customer_id from orders o where o.id = pa.order_id)',
  checkout: '(select o.checkout_id from orders o where o.id = pa.order_id) = :checkout',
  from: 'payments pa',
  key: 'pa.id',
  counter: { list: 'payments', time: 'pa.created_at' },
  references: { m: { table: 'payment_methods', foreignKey: 'pa.payment_method_id' } },
  lookupJoins: `left join payment_methods m on m.id = pa.payment_method_id
    left join payment_accounts a on a.id = pa.payment_account_id`,
  columns: `pa.id, pa.created_at, pa.modified_at, 'stripe' as processor, pa.provider, pa.mode, ${status} as status, pa.amount, pa.currency,
    ${method} as method, case when m.type = 'card' and m.brand is not null and m.last4 is not null then
      json_build_object('brand', m.brand, 'last4', m.last4) end as method_metadata,
    ${trigger} as trigger, pa.decline_code as decline_reason, ${declineMessage} as decline_message,
    ${pendingReason} as pending_reason, ${pendingMessage} as pending_message, case when pa.is_open then pa.next_check_at end as next_check_at,
    pa.organization_id, pa.checkout_id, pa.order_id`,
}

export const getPayment = query(getPaymentContract, ({ id }, { read }) => read.one(paymentView, { where: 'pa.id = :id', values: { id } }))

/** Payments of orders, in SQL. */
const ofOrders = (condition: string) => `pa.order_id = any (array(select w.id from orders w where ${condition}))`

/** Open and failed payments are few, and found by an index. */
const foundByIndex: Readonly<Record<string, string>> = { pending: 'pa.is_open and ', failed: `${isFailed} and ` }
const hasStatus = (asked: unknown) => `${foundByIndex[String(asked)] ?? ''}${status} = any(:statuses)`

const hasAddress = `select wc.id from customers wc where wc.organization_id = any (:organizations::uuid[]) and lower(wc.email) = any(:emails)`

const columns = { created_at: 'pa.created_at', status, amount: 'pa.amount', method }

export const listPayments = query(listPaymentsContract, ({ page, limit, sorting, ...filters }, { read }) =>
  read.page(paymentView, {
    ...buildWhere({
      organization_id: { sql: 'pa.organization_id = any(:organization_id)', value: toArray(filters.organization_id) },
      checkout_ids: { sql: 'pa.checkout_id = any(:checkout_ids)', value: toArray(filters.checkout_id) },
      order_ids: { sql: 'pa.order_id = any(:order_ids)', value: toArray(filters.order_id) },
      statuses: { sql: hasStatus(filters.status), value: toArray(filters.status) },
      methods: { sql: `${method} = any(:methods)`, value: toArray(filters.method) },
      customer_ids: { sql: ofOrders('w.customer_id = any(:customer_ids)'), value: toArray(filters.customer_id) },
      emails: {
        sql: ofOrders(`w.customer_id = any (array(${hasAddress}))`),
        value: toArray(filters.customer_email)?.map((email) => email.toLowerCase()),
      },
    }),
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['pa.created_at', 'pa.id'] }),
    page,
    limit,
  }),
)
