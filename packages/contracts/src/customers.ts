import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { Conflict, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { EmailAddress, ExternalId, Id, NewExternalId, oneOrMany, OrganizationIdInput, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataFilter, MetadataInput } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { withoutControls } from './printed-text.ts'
import { TaxId, TaxIdInput } from './tax-id.ts'
import { LocaleInput } from './locale.ts'

/** A buyer of one organization. Remains readable inside old orders after deletion, with `deleted_at` set. */
export const Customer = z
  .object({
    id: Id,
    ...timestamps,
    metadata: Metadata,
    external_id: z.string().nullable(),
    email: z.string(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    type: z.literal('individual'),
    billing_name: z.null().describe('Billing names belong to orders.'),
    billing_address: Address.nullable(),
    tax_id: TaxId.nullable(),
    locale: z.string().nullable().describe('BCP 47; language of the customer’s documents.'),
    organization_id: Id,
    deleted_at: Timestamp.nullable(),
    avatar_url: z.string(),
  })
  .meta({ id: 'Customer' })
export type Customer = z.infer<typeof Customer>

const email = EmailAddress
const name = withoutControls(z.string().trim().max(250)).nullish()

const changes = {
  email: email.nullish(),
  name,
  billing_address: AddressInput.nullish(),
  tax_id: TaxIdInput.nullish(),
  locale: LocaleInput.nullish(),
  metadata: MetadataInput.optional(),
}

export const createCustomer = operation({
  subject: 'orders.customer.create',
  summary: 'Create a customer',
  http: { method: 'POST', path: '/v1/customers/', status: 201, scopes: ['customers:write'], callers: ['organization', 'user'] },
  request: z.object({
    email,
    name,
    external_id: NewExternalId.nullish(),
    billing_address: AddressInput.nullish(),
    tax_id: TaxIdInput.nullish(),
    locale: LocaleInput.nullish(),
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
    query: z.string().max(200).optional().describe('Part of the address, the name or the external id.'),
    active: z
      .boolean()
      .optional()
      .describe('`true`: customers with a subscription that is trialing, active or past_due; `false`: the others.'),
    metadata: MetadataFilter,
    sorting: sorting(['created_at', 'email', 'name'], '-created_at'),
  }),
  reply: ListReply(Customer),
  errors: [],
})

export const updateCustomer = operation({
  subject: 'orders.customer.update',
  summary: 'Change a customer',
  http: { method: 'PATCH', path: '/v1/customers/{id}', status: 200, scopes: ['customers:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id, ...changes, external_id: NewExternalId.nullish() }),
  reply: Customer,
  errors: [ResourceNotFound, RequestValidationError],
})

const anonymize = z
  .boolean()
  .default(false)
  .describe(
    '`true`: also removes the personal data of the customer: address, name, tax id, metadata, and what was typed at their checkouts. Orders and invoices keep their billing details. A customer who is deleted already can be anonymized by the id.',
  )

export const deleteCustomer = operation({
  subject: 'orders.customer.delete',
  summary: 'Delete a customer; their orders remain, their portal sessions end, their external id can be reused',
  http: { method: 'DELETE', path: '/v1/customers/{id}', status: 204, scopes: ['customers:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id, anonymize }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

/** 409 if the user is a member of several organizations that each have such a customer. */
const byExternalId = { path: '/v1/customers/external/{external_id}', callers: ['organization', 'user'] } as const

export const getCustomerByExternalId = operation({
  subject: 'orders.customer.get-by-external-id',
  summary: 'Get a customer by your external id',
  http: { method: 'GET', status: 200, scopes: ['customers:read', 'customers:write'], ...byExternalId },
  request: z.object({ external_id: ExternalId }),
  reply: Customer,
  errors: [ResourceNotFound, Conflict],
})

export const updateCustomerByExternalId = operation({
  subject: 'orders.customer.update-by-external-id',
  summary: 'Change a customer by your external id',
  http: { method: 'PATCH', status: 200, scopes: ['customers:write'], ...byExternalId },
  request: z.object({ ...changes, external_id: ExternalId }),
  reply: Customer,
  errors: [ResourceNotFound, RequestValidationError, Conflict],
})

export const deleteCustomerByExternalId = operation({
  subject: 'orders.customer.delete-by-external-id',
  summary: 'Delete a customer by your external id',
  http: { method: 'DELETE', status: 204, scopes: ['customers:write'], ...byExternalId },
  request: z.object({ external_id: ExternalId, anonymize }),
  reply: z.null(),
  errors: [ResourceNotFound, Conflict],
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

export const customerDeleted = event({
  subject: 'event.customer.deleted',
  publisher: 'orders',
  webhookType: 'customer.deleted',
  summary: 'A customer was deleted.',
  payload: Customer,
})

export const customerSnapshotted = event({
  subject: 'event.customer.snapshotted',
  publisher: 'orders',
  webhookType: null,
  summary: 'The state of a customer, for services that were installed after the customer was created.',
  payload: Customer,
})
