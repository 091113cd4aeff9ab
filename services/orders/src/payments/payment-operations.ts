import type { Caller } from '@quittance/contracts/caller'
import { NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import {
  listStuckPayments as listStuckPaymentsContract,
  recheckPayment as recheckPaymentContract,
  showPayment as showPaymentContract,
  type OperatedPayment,
} from '@quittance/contracts/payment-operations'
import type { ReplyOf } from '@quittance/contracts/operation'
import { systemCommand, systemQuery } from '@quittance/runtime/system-handler'
import { settleDuePaymentsJobName } from '../job-names.ts'
import { buildTimeline } from './payment-timeline.ts'

const iso = (column: string) => `to_json(${column})#>>'{}'`

/** Columns of a payment as an operator sees it. */
export const operatedColumns = `id, organization_id, order_id, provider, provider_payment, state, amount::float8 as amount, currency, ${iso('created_at')} as created_at,
  ${iso('next_check_at')} as next_check_at, ${iso('unanswered_since')} as unanswered_since, quarantine_reason, failure_reason, decline_code`

const isStuck = `(quarantined_at is not null or is_open and created_at < now() - interval '1 hour'
  or surplus_at is not null and refunding_amount + refunded_amount < captured_amount)`

const stuck = `select ${operatedColumns} from payments where ${isStuck} order by created_at, id limit :limit`
const countStuck = `select count(*)::int as total from payments where ${isStuck}`
const find = `select ${operatedColumns} from payments where id = :id`
const refundsOf = `
  select id, purpose, state, (amount + tax_amount)::float8 as amount, ${iso('created_at')} as created_at from refunds
  where payment_id = :id order by created_at, id`
const ledgerOf = `
  select ${iso('created_at')} as created_at, reason, debit, credit, amount::float8 as amount from ledger_entries
  where payment_id = :id order by created_at, id`
const timelineOf = buildTimeline('true')
const recheck = `update payments set next_check_at = now(), leased_until = null, version = version + 1 where id = :id returning id`

const reason = 'the operator sees and rechecks payments of all organizations'

export const listStuckPayments = systemQuery(listStuckPaymentsContract, { reason }, async ({ limit }, { systemSql, caller }) => {
  requireOperator(caller)
  const payments = await systemSql<OperatedPayment>('payments.stuck', stuck, { limit })
  const [count] = await systemSql<{ total: number }>('payments.count-stuck', countStuck)
  return { payments, total_count: count?.total ?? 0 }
})

export const showPayment = systemQuery(showPaymentContract, { reason }, async ({ id }, { systemSql, caller }) => {
  requireOperator(caller)
  const [payment] = await systemSql<OperatedPayment>('payment.find-any', find, { id })
  if (!payment) throw new ResourceNotFound()
  const refunds = await systemSql<{ id: string; purpose: string; state: string; amount: number; created_at: string }>(
    'payment.refunds',
    refundsOf,
    { id },
  )
  const ledger = await systemSql<{ created_at: string; reason: string; debit: string; credit: string; amount: number }>(
    'payment.ledger',
    ledgerOf,
    { id },
  )
  const timeline = await systemSql<ReplyOf<typeof showPaymentContract>['timeline'][number]>('payment.timeline', timelineOf, { id })
  return { payment, refunds, ledger, timeline }
})

/** A check that is in progress loses its lease; both record what they see. */
export const recheckPayment = systemCommand(recheckPaymentContract, { reason }, async ({ id }, { systemSql, caller, wake }) => {
  requireOperator(caller)
  const [known] = await systemSql<{ id: string }>('payment.recheck', recheck, { id })
  if (!known) throw new ResourceNotFound()
  wake(settleDuePaymentsJobName)
  return { id }
})

/** Throws unless the caller is the operator. */
export function requireOperator({ kind }: Caller): void {
  if (kind !== 'operator') throw new NotPermitted('Only the operator may do this.')
}
