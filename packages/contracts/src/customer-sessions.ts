import { z } from 'zod'
import { deprecatedSince } from './changes.ts'
import { TokenHash } from './auth.ts'
import { Caller } from './caller.ts'
import { Customer } from './customers.ts'
import { Conflict, InvalidToken, RequestValidationError, ServiceUnavailable } from './errors.ts'
import { Id, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'

const oldName = deprecatedSince('2025-06-18', 'use external_customer_id')

/** One hour of the customer portal for one customer. The token is shown here and never again. */
export const CustomerSession = z
  .object({
    id: Id,
    ...timestamps,
    token: z.string(),
    expires_at: Timestamp,
    customer_portal_url: z.string(),
    customer_id: Id,
    external_customer_id: z.string().nullable(),
    customer_external_id: z.string().nullable().meta(oldName),
    customer: Customer,
  })
  .meta({ id: 'CustomerSession' })

const externalId = z.string().min(1).max(200).nullish()

export const createCustomerSession = operation({
  subject: 'orders.customer-session.create',
  summary: 'Open the customer portal for a customer, named by one of the ids; the token is shown once',
  http: {
    method: 'POST',
    path: '/v1/customer-sessions/',
    status: 201,
    scopes: ['customer_sessions:write'],
    callers: ['organization', 'user'],
  },
  request: z
    .object({ customer_id: Id.nullish(), external_customer_id: externalId, customer_external_id: externalId.meta(oldName) })
    .refine((named) => Object.values(named).some(Boolean), { path: ['customer_id'], error: 'Field required' }),
  reply: CustomerSession,
  errors: [RequestValidationError, Conflict, ServiceUnavailable],
})

/** Asked by the gateway for every customer session token it does not hold in its cache. */
export const verifyCustomerSession = operation({
  subject: 'orders.customer-session.verify',
  summary: 'Tell which customer is behind a session token',
  request: z.object({ hash: TokenHash }),
  reply: z.object({ caller: Caller, expires_at: Timestamp }),
  errors: [InvalidToken],
  audience: 'gateway',
})
