import { listBenefitGrants as contract } from '@quittance/contracts/benefit-grants'
import { query } from '@quittance/runtime/handler'
import { toArray, newestFirst, buildWhere } from '@quittance/sql/list-query'
import { benefitView } from '../catalog/benefits/benefit-view.ts'
import { benefitGrantView } from './benefit-grant-view.ts'

export const listBenefitGrants = query(contract, async ({ id, is_granted, customer_id, page, limit }, { read }) => {
  await read.one(benefitView, { where: 'b.id = :id', values: { id } })
  return read.page(benefitGrantView, {
    ...buildWhere({
      benefit_id: { sql: 'g.benefit_id = :benefit_id', value: id },
      is_granted: { sql: '(g.granted_at is not null) = :is_granted', value: is_granted },
      customer_id: { sql: 'g.customer_id = any(:customer_id)', value: toArray(customer_id) },
    }),
    orderBy: newestFirst('g'),
    page,
    limit,
  })
})
