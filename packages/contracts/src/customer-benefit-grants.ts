import { z } from 'zod'
import { BenefitGrantProperties, grantFields } from './benefit-grants.ts'
import { BenefitCustom, BenefitLicenseKeys, BenefitType } from './benefits.ts'
import { portal } from './customer-portal.ts'
import { ResourceNotFound } from './errors.ts'
import { Id, oneOrMany } from './identifiers.ts'
import { operation } from './operation.ts'
import { Organization } from './organizations.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { CustomerPortalCustomer } from './portal-customers.ts'

/** A benefit as returned to a customer who has it. */
const BenefitSubscriber = z.discriminatedUnion('type', [
  BenefitCustom.omit({ is_tax_applicable: true }).extend({ organization: Organization }).meta({ id: 'BenefitCustomSubscriber' }),
  BenefitLicenseKeys.extend({ organization: Organization }).meta({ id: 'BenefitLicenseKeysSubscriber' }),
])

/** A benefit of the customer, with the order or subscription that grants it. */
export const CustomerBenefitGrant = z
  .object({ ...grantFields, customer: CustomerPortalCustomer, benefit: BenefitSubscriber, properties: BenefitGrantProperties })
  .meta({ id: 'CustomerBenefitGrant' })
export type CustomerBenefitGrant = z.infer<typeof CustomerBenefitGrant>

export const listCustomerBenefitGrants = operation({
  subject: 'orders.customer-benefit-grant.list',
  summary: 'List your benefits; revoked ones are not included',
  http: { method: 'GET', path: '/v1/customer-portal/benefit-grants/', status: 200, ...portal },
  request: z.object({
    ...pageRequest,
    type: oneOrMany(BenefitType),
    benefit_id: oneOrMany(Id),
    organization_id: oneOrMany(Id),
    checkout_id: oneOrMany(Id),
    order_id: oneOrMany(Id),
    subscription_id: oneOrMany(Id),
    sorting: sorting(['granted_at', 'type', 'organization'], '-granted_at'),
  }),
  reply: ListReply(CustomerBenefitGrant),
  errors: [],
})

export const getCustomerBenefitGrant = operation({
  subject: 'orders.customer-benefit-grant.get',
  summary: 'Get one of your benefits',
  http: { method: 'GET', path: '/v1/customer-portal/benefit-grants/{id}', status: 200, ...portal },
  request: z.object({ id: Id }),
  reply: CustomerBenefitGrant,
  errors: [ResourceNotFound],
})
