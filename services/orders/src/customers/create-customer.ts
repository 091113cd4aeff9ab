import { createCustomer as contract } from '@quittance/contracts/customers'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { Superseded } from '@quittance/runtime/superseded'
import { insertCustomer } from './insert-customer.ts'
import { checkedTaxId } from './tax-id.ts'
import { refuseTakenIdentity } from './unique-customer.ts'

export const createCustomer = command(contract, async (request, context) => {
  const organizationId = chosenOrganization(context.caller, request.organization_id)
  const { email, name = null, external_id: externalId = null, billing_address: billingAddress = null, locale = null, metadata } = request
  const taxId = request.tax_id ? checkedTaxId(request.tax_id, 'tax_id') : null
  const inserted = await insertCustomer({ organizationId, email, externalId, name, billingAddress, taxId, locale, metadata }, context)
  if (inserted) return inserted
  await refuseTakenIdentity(context.rows, { id: null, organizationId, email, externalId })
  throw new Superseded('The customer who had the e-mail address or the external id is gone')
})
