import type { Scenario } from './scenario.ts'
import { deliveries } from './scenarios/deliveries.ts'
import { checkoutPage } from './scenarios/checkout-page.ts'
import { addedLatency } from './scenarios/added-latency.ts'
import { createCustomer } from './scenarios/create-customer.ts'
import { documents } from './scenarios/documents.ts'
import { fairness } from './scenarios/fairness.ts'
import { invoice } from './scenarios/invoice.ts'
import { listOrders } from './scenarios/list-orders.ts'
import { optimizations } from './scenarios/optimizations.ts'
import { pageOrders } from './scenarios/page-orders.ts'
import { payments } from './scenarios/payments.ts'
import { rateLimit } from './scenarios/rate-limit.ts'
import { readOrder } from './scenarios/read-order.ts'
import { render } from './scenarios/render.ts'
import { refreshToken } from './scenarios/refresh-token.ts'

export const scenarios = {
  'read-order': readOrder,
  'page-orders': pageOrders,
  'create-customer': createCustomer,
  'added-latency': addedLatency,
  'list-orders': listOrders,
  invoice,
  documents,
  render,
  'refresh-token': refreshToken,
  'checkout-page': checkoutPage,
  deliveries,
  'rate-limit': rateLimit,
  fairness,
  payments,
  optimizations,
} satisfies Record<string, Scenario>
export type ScenarioName = keyof typeof scenarios
export const scenarioNames = Object.keys(scenarios) as ScenarioName[]
