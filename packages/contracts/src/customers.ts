import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

/** A tax id as the pair [number, format]. */
export const TaxId = z.tuple([z.string(), z.string()])

/** A buyer of one organization. Stays readable inside old orders after deletion, with `deleted_at` set. */
export const Customer = z
  .object({
    id: Id,
    ...timestamps,
    metadata: Metadata,
    external_id: z.string().nullable(),
    email: z.string(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    billing_address: Address.nullable(),
    tax_id: TaxId.nullable(),
    organization_id: Id,
    deleted_at: Timestamp.nullable(),
    avatar_url: z.string(),
  })
  .meta({ id: 'Customer' })
export type Customer = z.infer<typeof Customer>

const name = z.string().trim().max(250).nullish()
const externalId = z.string().min(1).max(200).nullish()

export const createCustomer = operation({
  subject: 'orders.customer.create',
  summary: 'Create a customer',
  http: { method: 'POST', path: '/v1/customers/', status: 201, scopes: ['customers:write'], callers: ['organization', 'user'] },
  request: z.object({
    email: z.email().max(254),
    name,
    external_id: externalId,
    billing_address: AddressInput.nullish(),
    metadata: MetadataInput.default({}),
    organization_id: OrganizationIdInput,
  }),
  reply: Customer,
  errors: [RequestValidationError],
})

export const getCustomer = operation({
  subject: 'orders.customer.get',
  summary: 'Get a customer',
  http: {
    method: 'GET',
    path: '/v1/customers/{id}',
    status: 200,
    scopes: ['customers:read', 'customers:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id }),
  reply: Customer,
  errors: [ResourceNotFound],
})

export const listCustomers = operation({
  subject: 'orders.customer.list',
  summary: 'List customers',
  http: {
    method: 'GET',
    path: '/v1/customers/',
    status: 200,
    scopes: ['customers:read', 'customers:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    email: z.string().max(254).optional(),
    query: z.string().max(200).optional(),
    sorting: sorting(['created_at', 'email', 'name'], '-created_at'),
  }),
  reply: ListReply(Customer),
  errors: [],
})

export const updateCustomer = operation({
  subject: 'orders.customer.update',
  summary: 'Change a customer',
  http: { method: 'PATCH', path: '/v1/customers/{id}', status: 200, scopes: ['customers:write'], callers: ['organization', 'user'] },
  request: z.object({
    id: Id,
    email: z.email().max(254).nullish(),
    name,
    external_id: externalId,
    billing_address: AddressInput.nullish(),
    metadata: MetadataInput.optional(),
  }),
  reply: Customer,
  errors: [ResourceNotFound, RequestValidationError],
})

export const customerCreated = event({
  subject: 'event.customer.created',
  publisher: 'orders',
  webhookType: 'customer.created',
  summary: 'A customer was created, by the API or by a checkout.',
  payload: Customer,
})

export const customerUpdated = event({
  subject: 'event.customer.updated',
  publisher: 'orders',
  webhookType: 'customer.updated',
  summary: 'A customer was changed.',
  payload: Customer,
})
