import { getCustomerStateByExternalId as contract } from '@quittance/contracts/customer-state'
import { query } from '@quittance/runtime/handler'
import { customerStateView } from './customer-state-view.ts'
import { demandByExternalId } from './find-customer.ts'

export const getCustomerStateByExternalId = query(contract, async ({ external_id }, { read }) => {
  const { id } = await demandByExternalId(read, external_id)
  return read.one(customerStateView, { where: 'c.id = :id', values: { id } })
})
