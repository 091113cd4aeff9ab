import type { Customer } from '@quittance/contracts/customers'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import type { Page, Read } from '@quittance/runtime/view'
import { customerView } from './customer-view.ts'

/** The caller's customer with this id. */
export async function findById(read: Read, id: string): Promise<Customer | null> {
  const found = await read.oneOrNull(customerView, { where: 'c.id = :id', values: { id } })
  return found === null ? null : (JSON.parse(found) as Customer)
}

/** The caller's customer with this external id. A person sees several organizations, and which of them is meant is not guessed. */
export async function findByExternalId(read: Read, externalId: string): Promise<Customer | null> {
  const found = await read.page(customerView, {
    where: 'c.external_id = :external_id',
    values: { external_id: externalId },
    orderBy: [{ by: 'c.id', descending: false }],
    page: 1,
    limit: 2,
  })
  const [customer, another] = (JSON.parse(found) as Page<Customer>).items
  if (another) throw new Conflict('Several of your organizations have a customer with this external ID. Use the id of the customer.')
  return customer ?? null
}

/** The same, or `ResourceNotFound`. */
export async function demandByExternalId(read: Read, externalId: string): Promise<Customer> {
  const customer = await findByExternalId(read, externalId)
  if (!customer) throw new ResourceNotFound()
  return customer
}
