import { z } from 'zod'
import { Address, AddressInput } from './address.ts'
import { AuthenticatedCustomerSession, CustomerSessionCodeInvalidOrExpired, TypedCode } from './customer-codes.ts'
import { portal } from './customer-portal.ts'
import { NotPermitted, RequestValidationError, ResourceNotFound, ServiceUnavailable, TooManyRequests } from './errors.ts'
import { EmailAddress, Id, timestamps } from './identifiers.ts'
import { LocaleInput } from './locale.ts'
import { operation } from './operation.ts'
import { withoutControls } from './printed-text.ts'
import { TaxId } from './tax-id.ts'

/** A customer as returned to the customer. */
export const CustomerPortalCustomer = z
  .object({
    id: Id,
    ...timestamps,
    email: z.string(),
    email_verified: z.boolean(),
    name: z.string().nullable(),
    billing_name: z.null().describe('Billing names belong to orders.'),
    billing_address: Address.nullable(),
    tax_id: TaxId.nullable(),
    locale: z.string().nullable(),
    oauth_accounts: z.record(z.string(), z.object({ account_id: z.string(), account_username: z.string().nullable() })),
  })
  .meta({ id: 'CustomerPortalCustomer' })
export type CustomerPortalCustomer = z.infer<typeof CustomerPortalCustomer>

const me = { path: '/v1/customer-portal/customers/me', status: 200, ...portal } as const

export const getPortalCustomer = operation({
  subject: 'orders.portal-customer.get',
  summary: 'Get your customer data; a session bound to a checkout sees the data entered there',
  http: { method: 'GET', ...me },
  request: z.object({ organization_id: Id.optional().describe('404 if you are the customer of another organization.') }),
  reply: CustomerPortalCustomer,
  errors: [ResourceNotFound],
})

export const updatePortalCustomer = operation({
  subject: 'orders.portal-customer.update',
  summary: 'Change your own details, and mail a code to a new e-mail address; not permitted in a session bound to a checkout',
  http: { method: 'PATCH', ...me, limitedByNetwork: true },
  request: z.object({
    email: z
      .email()
      .max(254)
      .nullish()
      .describe('Another address is mailed a code, as by `email-update/request`; the reply still has the current one.'),
    name: withoutControls(z.string().trim().max(250)).nullish(),
    billing_address: AddressInput.nullish(),
    locale: LocaleInput.nullish(),
    default_payment_method_id: z.null({ error: 'Must be null: the default is set at the payment method.' }).optional(),
    tax_id: z.string().trim().max(50).nullish().describe('The number; its format is derived from the country of the billing address.'),
  }),
  reply: CustomerPortalCustomer,
  errors: [ResourceNotFound, NotPermitted, RequestValidationError, TooManyRequests, ServiceUnavailable],
})

const emailUpdate = '/v1/customer-portal/customers/me/email-update'

export const requestEmailUpdate = operation({
  subject: 'orders.portal-customer.request-email-update',
  summary:
    'Mail a code to your new e-mail address; the address changes once the code is entered, and the reply is the same for addresses of others',
  http: { method: 'POST', path: `${emailUpdate}/request`, status: 202, ...portal, limitedByNetwork: true },
  request: z.object({ email: EmailAddress }),
  reply: z.null(),
  errors: [ResourceNotFound, NotPermitted, RequestValidationError, TooManyRequests, ServiceUnavailable],
})

export const verifyEmailUpdate = operation({
  subject: 'orders.portal-customer.verify-email-update',
  summary: 'Change your e-mail address with the code that was mailed to the new one; all your sessions end, and the reply has a new one',
  http: { method: 'POST', path: `${emailUpdate}/verify`, status: 200, ...portal },
  request: z.object({ token: TypedCode }),
  reply: AuthenticatedCustomerSession,
  errors: [NotPermitted, CustomerSessionCodeInvalidOrExpired, ServiceUnavailable],
})
