import { z } from 'zod'
import { operation } from './operation.ts'

const limit = z.object({ min_days: z.int(), max_days: z.int() })

/** The longest range of each interval for sales figures. */
export const MetricsLimits = z
  .object({ min_date: z.iso.date(), intervals: z.object({ hour: limit, day: limit, week: limit, month: limit, year: limit }) })
  .meta({ id: 'MetricsLimits' })

export const getMetricsLimits = operation({
  subject: 'orders.metrics.get-limits',
  summary: 'Get the limits of sales figures',
  http: { method: 'GET', path: '/v1/metrics/limits', status: 200, scopes: ['metrics:read'], callers: ['organization', 'user'] },
  request: z.object({}),
  reply: MetricsLimits,
  errors: [],
})
