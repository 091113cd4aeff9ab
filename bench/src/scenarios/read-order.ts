/** Measures the cost of one read through the gateway, side by side with peers that do the same. */
import type { Scenario } from '../scenario.ts'
import { volume } from '../volume.ts'
import { sideBySide } from './side-by-side.ts'

export const readOrder: Scenario = {
  summary: 'CPU, rate and latency of GET /v1/orders/{id} through the gateway, side by side with peers',
  run: (stage) =>
    sideBySide(stage, {
      scenario: 'read-order',
      subject: `GET /v1/orders/{id}, ${volume.linesPerOrder} lines, one of ${volume.orders} at random`,
      defaultConnections: 64,
      request: null,
    }),
}
