import { job } from '@quittance/runtime/handler'
import { tellCustomerState } from '../customers/tell-customer-state.ts'
import { revokeBenefits } from './entitlement.ts'

const batchSize = 100

const due = `
  select g.id, g.organization_id from benefits b join benefit_grants g on g.benefit_id = b.id
  where b.deleted_at is not null and g.revoked_at is null order by g.organization_id limit ${batchSize}`

/** Revokes what was granted of benefits that were deleted, in batches. A replica that takes the same batch finds it done. */
export const sweepDeletedBenefits = job({
  name: 'sweep-deleted-benefits',
  everyMs: 60_000,
  async run({ rows, transaction }) {
    const grants = await rows<{ id: string; organization_id: string }>('benefit-grants.of-deleted', due)
    for (const [organizationId, ofOne] of Map.groupBy(grants, ({ organization_id }) => organization_id)) {
      await transaction(organizationId, async (unit) => {
        const customers = await revokeBenefits(unit, { id: { $in: ofOne.map(({ id }) => id) } })
        for (const customerId of customers) await tellCustomerState(unit, customerId)
      })
    }
    return grants.length === batchSize
  },
})
