import { z } from 'zod'
import { ApiError, ServiceUnavailable, TooManyRequests } from './errors.ts'
import { event } from './event.ts'
import { EmailAddress, Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

/** 401: the code is wrong, was used, has expired or was tried too often. The reply does not distinguish these. */
export class CustomerSessionCodeInvalidOrExpired extends ApiError {
  readonly status = 401
}

const email = EmailAddress
/** A code as it is typed. */
export const TypedCode = z.string().max(50).describe('Six characters; case, spaces and dashes do not matter.')

export const requestCustomerSession = operation({
  subject: 'orders.customer-code.request',
  summary: 'Mail a sign-in code for the customer portal; the reply is the same for known and unknown addresses',
  http: {
    method: 'POST',
    path: '/v1/customer-portal/customer-session/request',
    status: 202,
    scopes: [],
    callers: ['anonymous'],
    actsOn: ['organization_id', 'email'],
  },
  request: z.object({ organization_id: Id, email }),
  reply: z.null(),
  errors: [TooManyRequests, ServiceUnavailable],
})

/** A session of the customer portal that was opened with a code. The token is shown only in this reply. */
export const AuthenticatedCustomerSession = z
  .object({ token: z.string(), expires_at: Timestamp, customer_id: Id })
  .meta({ id: 'AuthenticatedCustomerSession' })

export const authenticateCustomerSession = operation({
  subject: 'orders.customer-code.authenticate',
  summary: 'Open a session of the customer portal with the address and the code that was mailed to it',
  http: {
    method: 'POST',
    path: '/v1/customer-portal/customer-session/authenticate',
    status: 200,
    scopes: [],
    callers: ['anonymous'],
    actsOn: ['organization_id', 'email'],
  },
  request: z.object({ organization_id: Id, email, code: TypedCode }),
  reply: AuthenticatedCustomerSession,
  errors: [CustomerSessionCodeInvalidOrExpired, ServiceUnavailable],
})

/** What a code is for. */
export const CodePurpose = z.enum(['sign_in', 'email_update'])
export type CodePurpose = z.infer<typeof CodePurpose>

/** Context that an encrypted secret of a mail is bound to: it can only be decrypted for this mail. */
export function mailSecretContext(kind: 'customer_code' | 'invitation' | 'password_reset', sourceId: string): string {
  return `quittance mail: ${kind} ${sourceId}`
}

export const customerCodeRequested = event({
  subject: 'event.customer_code.requested',
  publisher: 'orders',
  webhookType: null,
  summary:
    'A code for the customer portal was requested, to sign in or to change the e-mail address. Published for addresses that get none too, without a recipient.',
  payload: z.object({
    code_id: Id,
    /** Absent in events of earlier releases, whose codes are for signing in. */
    purpose: CodePurpose.optional(),
    /** Null if no mail follows: for signing in an unknown address, for a change one that a customer has. */
    customer_id: Id.nullable(),
    recipient: z.string().nullable(),
    /** BCP 47. */
    locale: z.string().nullable(),
    /** Encrypted under MAIL_KEY. */
    sealed_code: z.string(),
  }),
})
