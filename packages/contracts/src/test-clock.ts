import { z } from 'zod'
import { NotPermitted, RequestValidationError, ServiceUnavailable } from './errors.ts'
import { Id, OrganizationIdInput, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

export const advanceTestClock = operation({
  subject: 'orders.test-clock.advance',
  summary: 'Advance the clock that the subscriptions of an organization live by; where trying things out is allowed',
  http: {
    method: 'POST',
    path: '/v1/test-clock/advance',
    status: 200,
    scopes: ['subscriptions:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    organization_id: OrganizationIdInput,
    to: Timestamp.describe('Later than the clock shows, by two years at most. A clock never goes back.'),
  }),
  reply: z.object({ organization_id: Id, now: Timestamp }).meta({ id: 'TestClock' }),
  errors: [RequestValidationError, NotPermitted, ServiceUnavailable],
})
