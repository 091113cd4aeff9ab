import { getCustomerBenefitGrant as contract } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { customerBenefitGrantView } from './benefit-grant-view.ts'

export const getCustomerBenefitGrant = query(contract, ({ id }, { read }) =>
  read.one(customerBenefitGrantView, { where: 'g.id = :id', values: { id } }),
)
