import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { resolvePayment as contract, type OperatedPayment } from '@quittance/contracts/payment-operations'
import type { FinishContext, Transaction } from '@quittance/runtime/handler'
import { systemStaged } from '@quittance/runtime/system-handler'
import { setups } from '../payment-setups/drive-setup.ts'
import { expectFacts } from '../payments/check-integrity.ts'
import { payments } from '../payments/drive-payment.ts'
import { isSettledState } from '../payments/progress-columns.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { decide, describeState, type Decision } from '../payments/resolution.ts'
import type { DrivenRow, RowKind } from '../payments/row-kind.ts'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'
import type { Answer, Seen } from '../providers/provider.ts'
import { selectOperated } from './operated-payments.ts'
import { requireOperator } from './payment-operations.ts'

const findKind = `
  select organization_id, 'payment' as kind from payments where id = :id
  union all select organization_id, 'setup' from payment_setups where id = :id`

const isResolved = `id = :id and organization_id = any (:scope_organizations)`
const findResolved = selectOperated({ payments: isResolved, setups: isResolved })

const values = `:resolved_as, :because, :is_forced::boolean, :provider_state, quarantine_reason`
const recordResolution = `
  insert into payment_resolutions
    (created_at, organization_id, payment_id, payment_setup_id, resolved_as, because, is_forced, provider_state, quarantine_reason)
  select :now::timestamptz, organization_id, id, null::uuid, ${values} from payments where ${isResolved}
  union all select :now::timestamptz, organization_id, null, id, ${values} from payment_setups where ${isResolved}`

type LocatedRequest = RequestOf<typeof contract> & { organizationId: string; kind: OperatedPayment['kind'] }

/**
 * Settles a payment or setup as an operator decides. The object is read first: a decision against what the provider reports, or without its
 * answer, needs `force`. Each decision is recorded with the reason and what the provider reported.
 */
export const resolvePayment = systemStaged(
  contract,
  { reason: 'the operator decides about payments of all organizations' },
  {
    async commit(request, { systemSql, caller }): Promise<LocatedRequest> {
      requireOperator(caller)
      const [known] = await systemSql<{ organization_id: string; kind: 'payment' | 'setup' }>('payment.kind', findKind, { id: request.id })
      if (!known) throw new ResourceNotFound()
      return { ...request, organizationId: known.organization_id, kind: known.kind }
    },
    finish: (located, context) => (located.kind === 'setup' ? finish(setups, located, context) : finish(payments, located, context)),
  },
)

async function finish<Row extends DrivenRow, Locked extends object>(
  kind: RowKind<Row, Locked>,
  located: LocatedRequest,
  context: FinishContext,
): Promise<OperatedPayment> {
  const seenAt = new Date()
  const answer = await readObject(kind, located, context)
  return context.transaction(located.organizationId, (transaction) => resolve(kind, located, { transaction, answer, seenAt }))
}

async function readObject<Row extends DrivenRow, Locked extends object>(
  { kind, lockRow }: RowKind<Row, Locked>,
  { id, organizationId }: LocatedRequest,
  context: FinishContext,
): Promise<Answer<Seen> | null> {
  const { row, account } = await context.transaction(organizationId, async ({ em, sql }) => {
    const found = await lockRow(em, id)
    return { row: found, account: await loadProviderAccount(sql, found) }
  })
  const provider = openProvider(account, context)
  if (!provider) return null
  const { theirs, money } = row.toProgress()
  if (theirs) return provider.read(theirs, kind)
  return provider.findByOurId({ id, kind, money, payer: null, ...row.request }, row.createdAt)
}

interface Observed {
  transaction: Transaction
  /** Null if this installation does not offer the provider. */
  answer: Answer<Seen> | null
  seenAt: Date
}

async function resolve<Row extends DrivenRow, Locked extends object>(
  kind: RowKind<Row, Locked>,
  located: LocatedRequest,
  { transaction, answer, seenAt }: Observed,
): Promise<OperatedPayment> {
  const { id, as, because, force } = located
  const { em, sql, now, wake } = transaction
  const locked = await kind.lockForSettlement(transaction, id)
  const row = await kind.lockRow(em, id)
  if (!isResolvedAs(row, as)) {
    const decision = requireDecision(row, { located, answer, seenAt, account: await loadProviderAccount(sql, row) })
    await sql('payment.record-resolution', recordResolution, {
      id,
      now,
      because,
      resolved_as: as,
      is_forced: force,
      provider_state: describeState(answer),
    })
    row.leasedUntil = null
    const publishChange = kind.watch(transaction, row)
    const nextCheckAt = decision.payment.state === 'closing' ? now : null
    await kind.settle(transaction, { locked, row, progress: decision.payment, effects: decision.effects, nextCheckAt })
    await publishChange()
    if (nextCheckAt) wake(kind.job)
    await em.flush()
  }
  const [resolved] = await sql<OperatedPayment>('payment.find-resolved', findResolved, { id })
  return resolved as OperatedPayment
}

/** The command was repeated. */
function isResolvedAs(row: DrivenRow, as: LocatedRequest['as']): boolean {
  const { state, quarantineReason } = row.toProgress()
  return state === as && quarantineReason === null
}

interface Judged {
  located: LocatedRequest
  answer: Observed['answer']
  seenAt: Date
  account: ProviderAccount
}

function requireDecision(row: DrivenRow, { located, answer, seenAt, account }: Judged): Decision {
  const { as, force, kind } = located
  const progress = row.toProgress()
  if (isSettledState(progress.state)) throw new Conflict(`The ${kind} is ${progress.state}.`)
  const expected = expectFacts(progress, { id: row.id, account })
  const decision = decide(progress, { as, force, answer, seenAt, expected })
  if ('refusal' in decision) throw new Conflict(decision.refusal)
  return decision
}
