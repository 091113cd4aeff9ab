/** What one read through the gateway costs, side by side with peers that do the same. */
import { startLoader } from '../load.ts'
import { startPeers } from '../peers/p1/start.ts'
import type { Scenario } from '../scenario.ts'
import { makeOrders } from '../system/orders.ts'
import { volume } from '../volume.ts'
import { comparison } from './comparison.ts'
import { interleaved } from './interleaved.ts'
import { contenderOf, measure, measureIdle, warmUp } from './measure.ts'

const usualConnections = 64

export const readOrder: Scenario = {
  summary: 'CPU, rate and latency of GET /v1/orders/{id} through the gateway, side by side with peers',
  async run(stage) {
    const { engines, options, say } = stage
    const orderIds = await makeOrders(stage.quittance)
    const paths = orderIds.map((id) => `/v1/orders/${id}`)
    const ours = contenderOf(stage.quittance, paths)
    await using peers = await startPeers(engines, options.peers)
    using loader = startLoader()
    const contenders = [ours, ...peers.contenders]
    const idle = await measureIdle(contenders, engines)
    const measuring = { loader, stage, connections: options.connections ?? usualConnections }
    const windows = await interleaved(contenders, {
      options,
      say,
      warmUp: (contender, seconds) => warmUp(contender, { ...measuring, seconds }),
      measure: (contender) => measure(contender, measuring),
    })
    const { orders, linesPerOrder } = volume
    const subject = `GET /v1/orders/{id}, ${linesPerOrder} lines, one of ${orders} at random, ${measuring.connections} in flight`
    const title = `read-order: ${subject}; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
    return { scenario: 'read-order', ...comparison({ title, windows, idle }) }
  },
}
