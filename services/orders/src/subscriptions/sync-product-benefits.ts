import { job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { publishCustomerState } from '../customers/customer-state.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { syncProductBenefitsJobName } from '../job-names.ts'
import * as statements from './benefit-syncs.ts'
import type { BenefitSync, DifferingRow } from './benefit-syncs.ts'
import { runEach } from './run-each.ts'
import { syncBenefits } from './sync-benefits.ts'

/**
 * Changes the grants of the subscriptions of a product whose benefits have changed: one page of subscriptions per run, one transaction per customer.
 * What to change is read from the grants themselves, so a page that is repeated after a crash, or by a second replica, changes nothing twice.
 */
export const syncProductBenefits = job({
  name: syncProductBenefitsJobName,
  everyMs: 60_000,
  async run(context) {
    const [sync] = await context.systemSql<BenefitSync>('benefit-syncs.claim', statements.claimSync, { lease: context.leaseMs })
    if (!sync) return false
    await syncPage(sync, context)
    return true
  },
})

async function syncPage(sync: BenefitSync, context: JobContext): Promise<void> {
  const { id, revision } = sync
  const rows = await context.systemSql<DifferingRow>('benefit-syncs.read-page', statements.readPage, { id })
  const error = await syncCustomers(sync, { customerIds: rows.flatMap(({ customer_id }) => customer_id ?? []), context })
  const has_failed = sync.has_failed || error !== null
  const { count, last_started_at, last_id } = rows[0] as DifferingRow
  if (count === statements.pageSize) {
    const position = { last_started_at, last_id, has_failed }
    await context.systemSql('benefit-syncs.continue', statements.continueSync, { id, revision, ...position })
  } else if (has_failed) await context.systemSql('benefit-syncs.repeat', statements.repeatSync, { id, revision })
  else await context.systemSql('benefit-syncs.end', statements.endSync, { id, revision })
  if (error !== null) throw error
}

/** Returns the first error; the other customers are not affected. */
async function syncCustomers(
  { id: productId, organization_id }: BenefitSync,
  { customerIds, context }: { customerIds: readonly string[]; context: JobContext },
): Promise<unknown> {
  const tasks = customerIds.map((id) => ({
    row: { id, organization_id },
    run: (transaction: Transaction) => syncCustomer({ customerId: id, productId, organizationId: organization_id }, transaction),
  }))
  return runEach(tasks, { context, failure: 'benefits.sync-failed', idField: 'customer_id' }).then(
    () => null,
    (error: unknown) => error,
  )
}

interface Beneficiary {
  customerId: string
  productId: string
  organizationId: string
}

async function syncCustomer(beneficiary: Beneficiary, transaction: Transaction): Promise<void> {
  const { customerId, productId } = beneficiary
  await lockCustomer(transaction.sql, customerId)
  const values = { customer_id: customerId, product_id: productId }
  const subscriptions = await transaction.sql<{ id: string }>('benefit-syncs.lock', statements.lockBeneficiaries, values)
  let hasChanged = false
  for (const { id } of subscriptions) hasChanged = (await syncBenefits({ ...beneficiary, id }, transaction)) || hasChanged
  if (hasChanged) await publishCustomerState(transaction, customerId)
}
