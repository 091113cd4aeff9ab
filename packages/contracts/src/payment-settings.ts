import { z } from 'zod'
import { RequestValidationError, ServiceUnavailable } from './errors.ts'
import { Id, OrganizationIdInput } from './identifiers.ts'
import { operation } from './operation.ts'

const RetryAfterDays = z.array(z.int().min(1).max(14)).min(1).max(8)
const AfterLastTry = z.enum(['canceled', 'unpaid'])

/** How declined payments of subscriptions are tried again. A change concerns attempts that are scheduled after it. */
export const PaymentSettings = z
  .object({
    organization_id: Id,
    retry_after_days: RetryAfterDays.describe('Days from each declined attempt to the next one.'),
    after_last_try: AfterLastTry.describe(
      'Status of a subscription after the last declined attempt. `unpaid`: nothing more is billed; a payment of the buyer starts a period that day.',
    ),
  })
  .meta({ id: 'PaymentSettings' })
export type PaymentSettings = z.infer<typeof PaymentSettings>

export const getPaymentSettings = operation({
  subject: 'orders.payment-settings.get',
  summary: 'Get how declined payments of subscriptions are tried again',
  http: {
    method: 'GET',
    path: '/v1/payments/settings',
    status: 200,
    scopes: ['payments:read', 'payment_accounts:read', 'payment_accounts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ organization_id: OrganizationIdInput }),
  reply: PaymentSettings,
  errors: [RequestValidationError, ServiceUnavailable],
})

export const updatePaymentSettings = operation({
  subject: 'orders.payment-settings.update',
  summary: 'Change how declined payments of subscriptions are tried again',
  http: {
    method: 'PATCH',
    path: '/v1/payments/settings',
    status: 200,
    scopes: ['payment_accounts:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    organization_id: OrganizationIdInput,
    retry_after_days: RetryAfterDays.optional().describe('Up to eight waits of 1 to 14 days.'),
    after_last_try: AfterLastTry.optional(),
  }),
  reply: PaymentSettings,
  errors: [RequestValidationError, ServiceUnavailable],
})
