import { customerCreated } from '@quittance/contracts/customers'
import type { Transaction } from '@quittance/runtime/handler'
import { Customer, newCustomer } from '../customers/customer.ts'
import { customerView } from '../customers/customer-view.ts'
import type { Checkout } from './checkout.ts'

const byEmail = `select id from customers where organization_id = :organization_id and lower(email) = lower(:email) and deleted_at is null`

/** The customer who buys: the linked one, the one with this external id or e-mail address, or a new one. */
export async function customerOfCheckout(checkout: Checkout, context: Transaction): Promise<Customer> {
  const customer = (await findCustomer(checkout, context)) ?? (await createCustomer(checkout, context))
  customer.name ??= checkout.customerName ?? null
  if (checkout.customerBillingAddress) customer.billingAddress = checkout.customerBillingAddress
  return customer
}

async function findCustomer(checkout: Checkout, { em, rows }: Transaction): Promise<Customer | null> {
  const { organizationId, customerId, externalCustomerId, customerEmail } = checkout
  if (customerId) return em.findOneOrFail(Customer, customerId)
  if (externalCustomerId) {
    const known = await em.findOne(Customer, { organizationId, externalId: externalCustomerId, deletedAt: null })
    if (known) return known
  }
  const [row] = await rows<{ id: string }>('customer.by-email', byEmail, { organization_id: organizationId, email: customerEmail })
  return row ? em.findOneOrFail(Customer, row.id) : null
}

async function createCustomer(checkout: Checkout, { em, read, publish }: Transaction): Promise<Customer> {
  const { organizationId } = checkout
  const customer = em.create(Customer, {
    ...newCustomer,
    organizationId,
    email: checkout.customerEmail as string,
    name: checkout.customerName ?? null,
    externalId: checkout.externalCustomerId ?? null,
    billingAddress: checkout.customerBillingAddress ?? null,
    metadata: checkout.customerMetadata,
  })
  await em.flush()
  const view = await read.one(customerView, { where: 'c.id = :id', values: { id: customer.id } })
  publish({ event: customerCreated, aggregateId: customer.id, organizationId, payload: view })
  return customer
}
