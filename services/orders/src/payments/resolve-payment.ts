import { LockMode } from '@mikro-orm/core'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { resolvePayment as contract, type OperatedPayment } from '@quittance/contracts/payment-operations'
import type { FinishContext, Transaction } from '@quittance/runtime/handler'
import { systemStaged } from '@quittance/runtime/system-handler'
import { settleDuePaymentsJobName } from '../job-names.ts'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'
import type { Answer, Seen } from '../providers/provider.ts'
import { expectFacts } from './check-integrity.ts'
import { Payment } from './payment.ts'
import { operatedColumns, requireOperator } from './payment-operations.ts'
import { loadProviderAccount } from './provider-account.ts'
import { decide, describeState, type Decision } from './resolution.ts'
import { lockForSettlement, settlePayment } from './settle-payment.ts'

const findOrganization = `select organization_id from payments where id = :id`

const findResolved = `select ${operatedColumns} from payments where id = :id and organization_id = any (:scope_organizations)`

const recordResolution = `
  insert into payment_resolutions (created_at, organization_id, payment_id, resolved_as, because, is_forced, provider_state, quarantine_reason)
  select :now, organization_id, id, :resolved_as, :because, :is_forced, :provider_state, quarantine_reason from payments
  where id = :id and organization_id = any (:scope_organizations)`

type Ticket = RequestOf<typeof contract> & { organizationId: string }

/**
 * Settles a payment as an operator decides. The object is read first: a decision against what the provider reports, or without its answer,
 * needs `force`. Each decision is recorded with the reason and what the provider reported.
 */
export const resolvePayment = systemStaged(
  contract,
  { reason: 'the operator decides about payments of all organizations' },
  {
    async commit(request, { systemSql, caller }): Promise<Ticket> {
      requireOperator(caller)
      const [known] = await systemSql<{ organization_id: string }>('payment.organization', findOrganization, { id: request.id })
      if (!known) throw new ResourceNotFound()
      return { ...request, organizationId: known.organization_id }
    },
    async finish(ticket, context) {
      const seenAt = new Date()
      const answer = await readObject(ticket, context)
      return context.transaction(ticket.organizationId, (transaction) => resolve(ticket, { transaction, answer, seenAt }))
    },
  },
)

async function readObject({ id, organizationId }: Ticket, context: FinishContext): Promise<Answer<Seen> | null> {
  const { payment, account } = await context.transaction(organizationId, async ({ em, sql }) => {
    const found = await em.findOneOrFail(Payment, id)
    return { payment: found, account: await loadProviderAccount(sql, found) }
  })
  const provider = openProvider(account, context)
  if (!provider) return null
  const { providerPayment, amount, currency, request, createdAt } = payment
  if (providerPayment) return provider.read(providerPayment, 'charge')
  return provider.findByOurId({ id, kind: 'charge', money: { amount, currency }, payer: null, ...request }, createdAt)
}

interface Observed {
  transaction: Transaction
  /** Null if this installation does not offer the provider. */
  answer: Answer<Seen> | null
  seenAt: Date
}

async function resolve(ticket: Ticket, { transaction, answer, seenAt }: Observed): Promise<OperatedPayment> {
  const { id, as, because, force } = ticket
  const { em, sql, now, wake } = transaction
  const order = await lockForSettlement(transaction, id)
  const payment = await em.findOneOrFail(Payment, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!isResolvedAs(payment, as)) {
    const decision = requireDecision(payment, { ticket, answer, seenAt, account: await loadProviderAccount(sql, payment) })
    await sql('payment.record-resolution', recordResolution, {
      ...{ id, now, because, resolved_as: as, is_forced: force, provider_state: describeState(answer) },
    })
    payment.leasedUntil = null
    const nextCheckAt = decision.payment.state === 'closing' ? now : null
    await settlePayment(transaction, { order, payment, progress: decision.payment, effects: decision.effects, nextCheckAt })
    if (nextCheckAt) wake(settleDuePaymentsJobName)
    await em.flush()
  }
  const [resolved] = await sql<OperatedPayment>('payment.find-resolved', findResolved, { id })
  return resolved as OperatedPayment
}

/** The command was repeated. */
function isResolvedAs(payment: Payment, as: Ticket['as']): boolean {
  return payment.state === as && payment.quarantinedAt === null
}

interface Judged {
  ticket: Ticket
  answer: Observed['answer']
  seenAt: Date
  account: ProviderAccount
}

function requireDecision(payment: Payment, { ticket, answer, seenAt, account }: Judged): Decision {
  const { as, force } = ticket
  if (payment.isSettled()) throw new Conflict(`The payment is ${payment.state}.`)
  const progress = payment.toProgress()
  const expected = expectFacts(progress, { id: payment.id, account })
  const decision = decide(progress, { as, force, answer, seenAt, expected })
  if ('refusal' in decision) throw new Conflict(`${decision.refusal} Compare both, then repeat with --force.`)
  return decision
}
