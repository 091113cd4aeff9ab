import { job, type JobContext } from '@quittance/runtime/handler'
import { detachMethodsJobName } from '../job-names.ts'
import { selectInTurn } from '../organizations/select-in-turn.ts'
import { openProvider } from '../providers/provider-of.ts'
import { callWithDeadline } from './calls-in-progress.ts'
import { pauseIfLimited } from './pause-account.ts'
import { loadProviderAccount } from './provider-account.ts'

const batch = 10

/** A charge in progress is settled first. The claim moves the next attempt, so that replicas take different methods and a failed call is repeated. */
const claim = `
  update payment_methods set detach_due_at = now() + interval '10 minutes'
  where id = any (array(${selectInTurn({
    table: 'payment_methods',
    dueColumn: 'detach_due_at',
    isWaiting: 'detach_due_at is not null',
    isFree: `not exists (select from payments p where p.payment_method_id = payment_methods.id and p.settled_at is null)
      and not exists (select from payment_accounts a where a.id = payment_account_id and a.paused_until > now())`,
    limit: String(batch),
  })}))
  returning id, organization_id, payment_account_id, provider_method`

const record = `
  update payment_methods set detach_due_at = null where id = :id and organization_id = any (:scope_organizations)`

interface DueMethod {
  id: string
  organization_id: string
  payment_account_id: string | null
  provider_method: string
}

/** Detaches deleted methods at their providers. A repeated call for the same method changes nothing there. */
export const detachMethodsAtProviders = job({
  name: detachMethodsJobName,
  everyMs: 60_000,
  async run(context) {
    const due = await context.systemSql<DueMethod>('payment-methods.claim-to-detach', claim)
    await Promise.all(
      due.map((method) =>
        detach(method, context).catch((error: unknown) =>
          context.log.error({ err: error, payment_method_id: method.id }, 'payment-method.not-detached'),
        ),
      ),
    )
    return due.length === batch
  },
})

async function detach(method: DueMethod, context: JobContext): Promise<void> {
  const { id, organization_id: organizationId, payment_account_id: paymentAccountId, provider_method: theirs } = method
  const account = await context.transaction(organizationId, ({ sql }) => loadProviderAccount(sql, { organizationId, paymentAccountId }))
  const provider = openProvider(account, context)
  if (!provider) return
  const answer = await callWithDeadline(context.leaseMs, () => provider.detachMethod(theirs))
  if ('got' in answer || 'absent' in answer)
    await context.transaction(organizationId, async ({ sql }) => void (await sql('payment-method.detached', record, { id })))
  else {
    await context.transaction(organizationId, ({ sql }) => pauseIfLimited(sql, { account, answer }))
    context.log.warn({ payment_method_id: id, answer }, 'payment-method.not-detached')
  }
}
