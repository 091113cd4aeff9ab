import { z } from 'zod'
import { deprecatedSince } from './changes.ts'
import { TokenHash } from './auth.ts'
import { Caller } from './caller.ts'
import { Customer } from './customers.ts'
import { event } from './event.ts'
import { Conflict, InvalidToken, RequestValidationError, ServiceUnavailable } from './errors.ts'
import { ExternalId, Id, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'

const renamedField = deprecatedSince('2025-06-18', 'use external_customer_id')

/** A session of the customer portal for one customer, valid for one hour. The token is shown only in this reply. */
export const CustomerSession = z
  .object({
    id: Id,
    ...timestamps,
    token: z.string(),
    expires_at: Timestamp,
    customer_portal_url: z.string(),
    return_url: z.string().nullable(),
    customer_id: Id,
    external_customer_id: z.string().nullable(),
    customer_external_id: z.string().nullable().meta(renamedField),
    customer: Customer,
  })
  .meta({ id: 'CustomerSession' })

const externalId = ExternalId.nullish()

export const createCustomerSession = operation({
  subject: 'orders.customer-session.create',
  summary: 'Create a customer portal session for the customer with one of the ids; the token is shown once',
  http: {
    method: 'POST',
    path: '/v1/customer-sessions/',
    status: 201,
    scopes: ['customer_sessions:write'],
    callers: ['organization', 'user'],
  },
  request: z
    .object({
      customer_id: Id.nullish(),
      external_customer_id: externalId,
      customer_external_id: externalId.meta(renamedField),
      return_url: z
        .url()
        .max(2083)
        .nullish()
        .describe('Where the portal leads back to; ignored unless `page_settings.return_origins` of the organization has its origin.'),
    })
    .refine((named) => Boolean(named.customer_id ?? named.external_customer_id ?? named.customer_external_id), {
      path: ['customer_id'],
      error: 'Field required',
    }),
  reply: CustomerSession,
  errors: [RequestValidationError, Conflict, ServiceUnavailable],
})

/** Called by the gateway for every customer session token that is not in its cache. */
export const verifyCustomerSession = operation({
  subject: 'orders.customer-session.verify',
  summary: 'Verify a customer session token and return its customer',
  request: z.object({ hash: TokenHash }),
  reply: z.object({ caller: Caller, expires_at: Timestamp }),
  errors: [InvalidToken],
  audience: 'gateway',
})

export const endCustomerSession = operation({
  subject: 'orders.customer-session.end',
  summary: 'End the session of the token that is sent: sign out',
  http: { method: 'DELETE', path: '/v1/customer-portal/customer-session/', status: 204, scopes: [], callers: ['customer'] },
  request: z.object({}),
  reply: z.null(),
  errors: [],
})

/** The gateway verifies the token again, if it is still used. */
export const customerSessionEnded = event({
  subject: 'event.customer_session.ended',
  publisher: 'orders',
  webhookType: null,
  summary: 'A customer session ended, or covers only one purchase from now on.',
  payload: z.object({ session_id: Id, customer_id: Id, token_hash: TokenHash }),
})
