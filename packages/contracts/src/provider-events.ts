import { z } from 'zod'
import { ApiError, ResourceNotFound } from './errors.ts'
import { Id } from './identifiers.ts'
import { operation } from './operation.ts'

/** 400: the event is not signed with a secret of the account, or its signature is too old. */
export class InvalidSignature extends ApiError {
  readonly status = 400
}

export const receiveProviderEvent = operation({
  subject: 'orders.provider-event.receive',
  summary: 'Receive a signed event of a payment provider; the provider calls this address',
  http: {
    method: 'POST',
    path: '/v1/payment-accounts/{id}/events',
    status: 200,
    scopes: [],
    callers: ['anonymous'],
    raw: { limitBytes: 262_144, headers: ['stripe-signature'] },
  },
  request: z.object({ id: Id, headers: z.record(z.string(), z.string().max(4_096)), body: z.base64() }),
  reply: z.object({ received: z.literal(true) }),
  errors: [ResourceNotFound, InvalidSignature],
})
