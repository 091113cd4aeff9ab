import { isDeepStrictEqual } from 'node:util'
import { customerUpdated, type Customer as CustomerReply } from '@quittance/contracts/customers'
import type { TaxId } from '@quittance/contracts/tax-id'
import type { Transaction } from '@quittance/runtime/handler'
import { Superseded } from '@quittance/runtime/superseded'
import { insertCustomer } from '../customers/insert-customer.ts'
import { Customer } from '../customers/customer.ts'
import { customerView } from '../customers/customer-view.ts'
import { tellCustomerState } from '../customers/tell-customer-state.ts'
import { taxIdOf } from '../customers/tax-id.ts'
import { claimIdentity } from '../customers/unique-customer.ts'
import type { Checkout } from './checkout.ts'

const byEmail = `select id from customers where organization_id = :organization_id and lower(email) = lower(:email) and deleted_at is null`

/** The customer who buys: the linked one unless deleted since, the one with this external id or e-mail address, or a new one. */
export async function customerOfCheckout(checkout: Checkout, context: Transaction): Promise<Customer> {
  const { organizationId, customerEmail: email, externalCustomerId: externalId } = checkout
  await claimIdentity(context.rows, { organizationId, email, externalId })
  const known = await findCustomer(checkout, context)
  if (!known) return createCustomer(checkout, context)
  await learnFrom(checkout, { customer: known, context })
  return known
}

/** A name that was not known, and address and tax id of the latest purchase. */
async function learnFrom(checkout: Checkout, { customer, context }: { customer: Customer; context: Transaction }): Promise<void> {
  const name = customer.name ?? checkout.customerName ?? null
  const address = checkout.customerBillingAddress ?? customer.billingAddress ?? null
  const taxId = taxIdOfBuyer(checkout) ?? customer.taxId ?? null
  const known = { name: customer.name ?? null, billing_address: customer.billingAddress ?? null, tax_id: customer.taxId ?? null }
  const learned = { name, billing_address: address, tax_id: taxId }
  if (isDeepStrictEqual(learned, known)) return
  customer.change(learned)
  const { id, organizationId } = customer
  const view = await context.read.one(customerView, { where: 'c.id = :id', values: { id } })
  context.publish({ event: customerUpdated, aggregateId: id, organizationId, payload: view })
  await tellCustomerState(context, id)
}

function taxIdOfBuyer({ customerTaxId, customerBillingAddress }: Checkout): TaxId | null {
  return customerTaxId && customerBillingAddress
    ? taxIdOf(customerTaxId, { country: customerBillingAddress.country, field: 'customer_tax_id' })
    : null
}

async function findCustomer(checkout: Checkout, { em, rows }: Transaction): Promise<Customer | null> {
  const { organizationId, customerId, externalCustomerId, customerEmail } = checkout
  const linked = customerId ? await em.findOne(Customer, { id: customerId, deletedAt: null }) : null
  if (linked) return linked
  if (externalCustomerId) {
    const known = await em.findOne(Customer, { organizationId, externalId: externalCustomerId, deletedAt: null })
    if (known) return known
  }
  const [row] = await rows<{ id: string }>('customer.by-email', byEmail, { organization_id: organizationId, email: customerEmail })
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
  if (!inserted) throw new Superseded('The customer was inserted by another request at the same time')
  return context.em.findOneOrFail(Customer, (JSON.parse(inserted) as CustomerReply).id)
}
