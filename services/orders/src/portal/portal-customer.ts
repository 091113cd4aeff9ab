import { callerCheckoutId } from '@quittance/contracts/caller'
import {
  getPortalCustomer as getPortalCustomerContract,
  type CustomerPortalCustomer,
  updatePortalCustomer as updatePortalCustomerContract,
} from '@quittance/contracts/portal-customers'
import { query, command } from '@quittance/runtime/handler'
import type { View } from '@quittance/sql/view'
import { activeCustomers } from '../customers/customer-view.ts'
import { isTaxIdOfCountry, parseTaxId } from '@quittance/runtime/tax-id'
import { changeCustomer } from '../customers/update-customer.ts'
import { Customer } from '../customers/customer.ts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { requireCustomerId, requireUnboundCustomerId } from './own-customer.ts'
import { mailUpdateCode } from './update-email.ts'

/** Columns of a customer for the customer; `c` is the customer. */
const portalCustomerColumns = `c.id, c.created_at, c.modified_at, c.email, c.email_verified, c.name, null as billing_name, c.billing_address, c.tax_id,
  c.locale, '{}'::json as oauth_accounts`

/** Values a buyer typed at a checkout; of the tax id, only the number. */
type TypedCustomer = Omit<CustomerPortalCustomer, 'tax_id'> & { tax_number: string | null }

/** The buyer of the checkout that a session is bound to, unless the customer is deleted. */
const typedCustomerView: View<TypedCustomer> = {
  name: 'typed-customer',
  organization: 'ch.organization_id',
  customer: 'ch.customer_id',
  checkout: 'ch.id = :checkout',
  from: 'checkouts ch join customers c on c.id = ch.customer_id and c.deleted_at is null',
  columns: `c.id, ch.created_at, ch.modified_at, ch.customer_email as email, false as email_verified, ch.customer_name as name, null as billing_name,
    ch.customer_billing_address as billing_address, ch.customer_tax_id as tax_number, null as locale, '{}'::json as oauth_accounts`,
}

const portalCustomerView: View<CustomerPortalCustomer> = {
  name: 'portal-customer',
  ...activeCustomers,
  columns: portalCustomerColumns,
}

/** Returns the values typed at the checkout instead of the customer if the session is bound to a checkout. */
export const getPortalCustomer = query(getPortalCustomerContract, async ({ organization_id: organizationId }, { caller, read }) => {
  const id = requireCustomerId(caller)
  if (organizationId && caller.kind === 'customer' && caller.organization_id !== organizationId) throw new ResourceNotFound()
  const checkout = callerCheckoutId(caller)
  if (!checkout) return read.one(portalCustomerView, { where: 'c.id = :id', values: { id } })
  return asCustomer(JSON.parse(await read.one(typedCustomerView, { where: 'ch.id = :checkout' })) as TypedCustomer)
})

function asCustomer({ tax_number: number, ...typed }: TypedCustomer): CustomerPortalCustomer {
  const country = typed.billing_address?.country
  const taxId = number && country && isTaxIdOfCountry(number, country) ? parseTaxId(number, { country, field: 'tax_id' }) : null
  return { ...typed, tax_id: taxId }
}

/** Changes everything but the e-mail address at once; another address is mailed a code, and applies once that is entered. */
export const updatePortalCustomer = command(updatePortalCustomerContract, async ({ tax_id, email, ...change }, context) => {
  const id = requireUnboundCustomerId(context.caller)
  const { billingAddress } = await context.em.findOneOrFail(Customer, { id, deletedAt: null })
  const address = change.billing_address === undefined ? billingAddress : change.billing_address
  const taxId =
    tax_id === undefined ? undefined : tax_id ? parseTaxId(tax_id, { country: address?.country ?? null, field: 'tax_id' }) : null
  const isMailed = email ? await mailUpdateCode(email, context) : false
  if (!isMailed || tax_id !== undefined || Object.keys(change).length > 0) await changeCustomer({ id, ...change, tax_id: taxId }, context)
  return context.read.one(portalCustomerView, { where: 'c.id = :id', values: { id } })
})
