import { z } from 'zod'
import { NotPermitted, RequestValidationError, ServiceUnavailable } from './errors.ts'
import { Id, OrganizationIdInput, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

export const advanceTestClock = operation({
  subject: 'orders.test-clock.advance',
  summary: 'Advance the clock of an organization’s subscriptions; only if test clocks are enabled',
  http: {
    method: 'POST',
    path: '/v1/test-clock/advance',
    status: 200,
    scopes: ['subscriptions:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    organization_id: OrganizationIdInput,
    to: Timestamp.describe('Later than the current time of the clock, by at most two years. A clock cannot go back.'),
  }),
  reply: z.object({ organization_id: Id, now: Timestamp }).meta({ id: 'TestClock' }),
  errors: [RequestValidationError, NotPermitted, ServiceUnavailable],
})
