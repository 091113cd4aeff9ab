import { z } from 'zod'
import { ResourceNotFound } from './errors.ts'
import { operation } from './operation.ts'

export const completeSandboxAction = operation({
  subject: 'orders.sandbox-action.complete',
  summary: 'Complete the step of the bank of a payment in the sandbox, by its client secret',
  http: { method: 'POST', path: '/v1/sandbox/actions/{secret}', status: 200, scopes: [], callers: ['anonymous'] },
  request: z.object({ secret: z.string().max(200) }),
  reply: z.object({
    status: z.enum(['succeeded', 'failed']).describe('`failed`: the bank rejected the buyer, or the payment was canceled before.'),
  }),
  errors: [ResourceNotFound],
})
