import { createCustomer as contract } from '@quittance/contracts/customers'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command } from '@quittance/runtime/handler'
import { TransactionConflict } from '@quittance/runtime/database-transaction'
import { insertCustomer } from './insert-customer.ts'
import { validateTaxId } from '@quittance/runtime/tax-id'
import { assertIdentityAvailable } from './customer-identity.ts'

export const createCustomer = command(contract, async (request, context) => {
  const organizationId = resolveOrganization(context.caller, request.organization_id)
  const { email, name = null, external_id: externalId = null, billing_address: billingAddress = null, locale = null, metadata } = request
  const taxId = request.tax_id ? validateTaxId(request.tax_id, 'tax_id') : null
  const inserted = await insertCustomer({ organizationId, email, externalId, name, billingAddress, taxId, locale, metadata }, context)
  if (inserted) return inserted
  await assertIdentityAvailable(context, { id: null, organizationId, email, externalId })
  throw new TransactionConflict('The customer with this e-mail address or external id no longer exists')
})
