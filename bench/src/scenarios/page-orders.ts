/** Measures the cost of a page of ten through the gateway, side by side with peers that do the same. */
import type { Scenario } from '../scenario.ts'
import { volume } from '../volume.ts'
import { sideBySide } from './side-by-side.ts'

export const pageOrders: Scenario = {
  summary: 'CPU, rate and latency of GET /v1/orders/ through the gateway, side by side with peers',
  run: (stage) =>
    sideBySide(stage, {
      scenario: 'page-orders',
      subject: `GET /v1/orders/, the first 10 of ${volume.orders}`,
      defaultConnections: 64,
      request: { paths: ['/v1/orders/'] },
    }),
}
