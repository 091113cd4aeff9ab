import { isDeepStrictEqual } from 'node:util'
import { customerUpdated, type Customer as CustomerReply } from '@quittance/contracts/customers'
import type { TaxId } from '@quittance/contracts/tax-id'
import type { Transaction } from '@quittance/runtime/handler'
import { TransactionConflict } from '@quittance/runtime/database-transaction'
import { bindSessionsToCheckout } from '../customer-sessions/bind-sessions.ts'
import { insertCustomer } from '../customers/insert-customer.ts'
import { Customer } from '../customers/customer.ts'
import { customerView } from '../customers/customer-view.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { parseTaxId } from '@quittance/runtime/tax-id'
import { lockIdentity } from '../customers/customer-identity.ts'
import type { Checkout } from './checkout.ts'

const byEmail = `
  select id from customers
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(email) = lower(:email) and deleted_at is null`

/** The customer of a purchase, and how the customer was identified. */
export interface Buyer {
  customer: Customer
  /** The checkout created the customer. */
  isNew: boolean
  /** The seller named the customer, or the checkout created them. Otherwise anyone could have typed the e-mail address. */
  isProven: boolean
}

/**
 * Returns the customer of the purchase: the linked one unless deleted since, the one with this external id or e-mail address, or a new one.
 * An existing customer is updated from the checkout only if the seller named them.
 */
export async function resolveCheckoutCustomer(checkout: Checkout, context: Transaction): Promise<Buyer> {
  const { organizationId, customerEmail: email, externalCustomerId: externalId } = checkout
  await lockIdentity(context, { organizationId, email, externalId })
  const customer = await findCustomer(checkout, context)
  if (!customer) return { customer: await createCustomer(checkout, context), isNew: true, isProven: true }
  const isProven = checkout.isLinkedTo(customer)
  if (isProven) await updateCustomerDetails(checkout, { customer, context })
  await bindSessionsToCheckout(context, { customerId: customer.id, checkoutId: checkout.id })
  return { customer, isNew: false, isProven }
}

/** Fills in an unknown name and takes address and tax id from the latest purchase. */
async function updateCustomerDetails(
  checkout: Checkout,
  { customer, context }: { customer: Customer; context: Transaction },
): Promise<void> {
  const name = customer.name ?? checkout.customerName ?? null
  const address = checkout.customerBillingAddress ?? customer.billingAddress ?? null
  const taxId = taxIdOfBuyer(checkout) ?? customer.taxId ?? null
  const known = { name: customer.name ?? null, billing_address: customer.billingAddress ?? null, tax_id: customer.taxId ?? null }
  const details = { name, billing_address: address, tax_id: taxId }
  if (isDeepStrictEqual(details, known)) return
  customer.change(details)
  const { id, organizationId } = customer
  const view = await context.read.one(customerView, { where: 'c.id = :id', values: { id } })
  context.publish({ event: customerUpdated, aggregateId: id, organizationId, payload: view })
  await publishCustomerState(context, id)
}

function taxIdOfBuyer({ customerTaxId, customerBillingAddress }: Checkout): TaxId | null {
  return customerTaxId && customerBillingAddress
    ? parseTaxId(customerTaxId, { country: customerBillingAddress.country, field: 'customer_tax_id' })
    : null
}

async function findCustomer(checkout: Checkout, { em, sql }: Transaction): Promise<Customer | null> {
  const { organizationId, customerId, externalCustomerId, customerEmail } = checkout
  const linked = customerId ? await em.findOne(Customer, { id: customerId, deletedAt: null }) : null
  if (linked) return linked
  if (externalCustomerId) {
    const known = await em.findOne(Customer, { organizationId, externalId: externalCustomerId, deletedAt: null })
    if (known) return known
  }
  const [row] = await sql<{ id: string }>('customer.by-email', byEmail, { organization_id: organizationId, email: customerEmail })
  return row ? em.findOneOrFail(Customer, row.id) : null
}

async function createCustomer(checkout: Checkout, context: Transaction): Promise<Customer> {
  const inserted = await insertCustomer(
    {
      organizationId: checkout.organizationId,
      email: checkout.customerEmail as string,
      externalId: checkout.externalCustomerId ?? null,
      name: checkout.customerName ?? null,
      billingAddress: checkout.customerBillingAddress ?? null,
      taxId: taxIdOfBuyer(checkout),
      locale: null,
      metadata: checkout.customerMetadata,
    },
    context,
  )
  if (!inserted) throw new TransactionConflict('The customer was inserted by another request at the same time')
  return context.em.findOneOrFail(Customer, (JSON.parse(inserted) as CustomerReply).id)
}
