import { job, type Transaction } from '@quittance/runtime/handler'
import { sweepDeletedBenefitsJobName } from '../job-names.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { lockCustomers } from '../customers/lock-customer.ts'
import { revokeBenefits } from './entitlement.ts'

const batchSize = 100

/** Grants of all organizations in turn: many of one do not delay those of others. */
const due = `
  select id, organization_id, customer_id from (
    select g.*, row_number() over (partition by g.organization_id) as place
    from benefits b cross join lateral (
      select id, organization_id, customer_id from benefit_grants
      where benefit_id = b.id and revoked_at is null limit ${batchSize}) g
    where b.deleted_at is not null) granted
  order by place limit ${batchSize}`

interface DueGrant {
  id: string
  organization_id: string
  customer_id: string
}

/**
 * Revokes the grants of deleted benefits in batches. A replica that selects the same batch finds it already revoked. Grants of one organization
 * that cannot be revoked do not delay those of others.
 */
export const sweepDeletedBenefits = job({
  name: sweepDeletedBenefitsJobName,
  everyMs: 60_000,
  async run({ systemSql, transaction }) {
    const grants = await systemSql<DueGrant>('benefit-grants.of-deleted', due)
    const failures: unknown[] = []
    for (const [organizationId, ofOne] of Map.groupBy(grants, ({ organization_id }) => organization_id)) {
      await transaction(organizationId, (unit) => revokeGrants(ofOne, unit)).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
    return grants.length === batchSize
  },
})

async function revokeGrants(grants: readonly DueGrant[], unit: Transaction): Promise<void> {
  await lockCustomers(unit.sql, [...new Set(grants.map(({ customer_id }) => customer_id))])
  const customers = await revokeBenefits(unit, { id: { $in: grants.map(({ id }) => id) } })
  for (const customerId of customers) await publishCustomerState(unit, customerId)
}
