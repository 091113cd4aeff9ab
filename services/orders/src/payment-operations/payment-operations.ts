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
import { settleDuePaymentsJobName, settleDueSetupsJobName } from '../job-names.ts'
import { buildSetupTimeline, buildTimeline } from '../payments/payment-timeline.ts'
import { selectOperated } from './operated-payments.ts'

const isLate = `created_at < now() - interval '1 hour'`
const isStuck = {
  payments: `(quarantined_at is not null or is_open and ${isLate}
    or surplus_at is not null and refunding_amount + refunded_amount < captured_amount)`,
  setups: `(quarantined_at is not null or settled_at is null and ${isLate})`,
}

const stuck = `${selectOperated(isStuck)} order by created_at, id limit :limit`
const countStuck = `
  select ((select count(*) from payments where ${isStuck.payments}) + (select count(*) from payment_setups where ${isStuck.setups}))::int as total`
const find = selectOperated({ payments: 'id = :id', setups: 'id = :id' })
const refundsOf = `
  select id, purpose, state, (amount + tax_amount)::float8 as amount, to_json(created_at)#>>'{}' as created_at from refunds
  where payment_id = :id order by refunds.created_at, id`
const ledgerOf = `
  select to_json(created_at)#>>'{}' as created_at, reason, debit, credit, amount::float8 as amount from ledger_entries
  where payment_id = :id order by ledger_entries.created_at, id`
const timelineOf = buildTimeline('true')
const timelineOfSetup = buildSetupTimeline('true')
const recheck = `
  with payment as (
    update payments set next_check_at = now(), leased_until = null, version = version + 1 where id = :id returning id),
  setup as (
    update payment_setups set next_check_at = now(), leased_until = null, version = version + 1 where id = :id returning id)
  select id from payment union all select id from setup`

const reason = 'the operator sees and rechecks payments of all organizations'

export const listStuckPayments = systemQuery(listStuckPaymentsContract, { reason }, async ({ limit }, { systemSql, caller }) => {
  requireOperator(caller)
  const payments = await systemSql<OperatedPayment>('payments.stuck', stuck, { limit })
  const [count] = await systemSql<{ total: number }>('payments.count-stuck', countStuck)
  return { payments, total_count: count?.total ?? 0 }
})

type Moment = ReplyOf<typeof showPaymentContract>['timeline'][number]

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
  const timeline =
    payment.kind === 'setup'
      ? await systemSql<Moment>('payment-setup.timeline', timelineOfSetup, { id })
      : await systemSql<Moment>('payment.timeline', timelineOf, { id })
  return { payment, refunds, ledger, timeline }
})

/** A check that is in progress loses its lease; both record what they see. */
export const recheckPayment = systemCommand(recheckPaymentContract, { reason }, async ({ id }, { systemSql, caller, wake }) => {
  requireOperator(caller)
  const [known] = await systemSql<{ id: string }>('payment.recheck', recheck, { id })
  if (!known) throw new ResourceNotFound()
  wake(settleDuePaymentsJobName, settleDueSetupsJobName)
  return { id }
})

/** Throws unless the caller is the operator. */
export function requireOperator({ kind }: Caller): void {
  if (kind !== 'operator') throw new NotPermitted('Only the operator may do this.')
}
