import {
  getCustomer as getCustomerContract,
  getCustomerByExternalId as getCustomerByExternalIdContract,
  listCustomers as listCustomersContract,
  type Customer,
} from '@quittance/contracts/customers'
import { query } from '@quittance/runtime/handler'
import { customerView } from './customer-view.ts'
import {
  getCustomerState as getCustomerStateContract,
  getCustomerStateByExternalId as getCustomerStateByExternalIdContract,
} from '@quittance/contracts/customer-state'
import { customerStateView } from './customer-state.ts'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import { metadataFilter } from '@quittance/sql/metadata-filter'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import type { Page, ViewReader } from '@quittance/sql/view'

export const getCustomer = query(getCustomerContract, ({ id }, { read }) => read.one(customerView, { where: 'c.id = :id', values: { id } }))

export const getCustomerByExternalId = query(getCustomerByExternalIdContract, ({ external_id }, { read }) =>
  requireByExternalId(read, external_id),
)

export const getCustomerState = query(getCustomerStateContract, ({ id }, { read }) =>
  read.one(customerStateView, { where: 'c.id = :id', values: { id } }),
)

export const getCustomerStateByExternalId = query(getCustomerStateByExternalIdContract, async ({ external_id }, { read }) => {
  const { id } = await requireByExternalId(read, external_id)
  return read.one(customerStateView, { where: 'c.id = :id', values: { id } })
})

const columns = { created_at: 'c.created_at', email: 'lower(c.email)', name: nullable('c.name') }

const hasSubscription = `exists (select from subscriptions s where s.customer_id = c.id and s.status in ('trialing', 'active', 'past_due'))`

export const listCustomers = query(listCustomersContract, (request, { read }) =>
  read.page(customerView, {
    ...buildWhere({
      organization_id: { sql: 'c.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      email: { sql: 'lower(c.email) = lower(:email)', value: request.email },
      query: {
        sql: ['c.email', 'c.name', 'c.external_id'].map((column) => `strpos(lower(${column}), lower(:query)) > 0`).join(' or '),
        value: request.query,
      },
      active: { sql: request.active ? hasSubscription : `not ${hasSubscription}`, value: request.active },
      metadata: metadataFilter('c.metadata', request.metadata),
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['c.created_at', 'c.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)

/** Returns the caller's customer with this id. */
export async function findById(read: ViewReader, id: string): Promise<Customer | null> {
  const found = await read.oneOrNull(customerView, { where: 'c.id = :id', values: { id } })
  return found === null ? null : (JSON.parse(found) as Customer)
}

/** Returns the caller's customer with this external id. A user may see several organizations; an ambiguous external id is a `Conflict`. */
export async function findByExternalId(read: ViewReader, externalId: string): Promise<Customer | null> {
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

/** The same, but throws `ResourceNotFound` if there is none. */
export async function requireByExternalId(read: ViewReader, externalId: string): Promise<Customer> {
  const customer = await findByExternalId(read, externalId)
  if (!customer) throw new ResourceNotFound()
  return customer
}
