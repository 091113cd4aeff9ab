import type { Contender } from '../contender.ts'
import { startLoader } from '../load.ts'
import { startPeers } from '../peers/start.ts'
import type { Findings, Stage } from '../scenario.ts'
import { makeOrders } from '../system/orders.ts'
import { comparison } from './comparison.ts'
import { interleaved } from './interleaved.ts'
import { analyze, createContender, measure, measureIdle, warmUp } from './measure.ts'

interface Work {
  scenario: string
  /** Description of one request. */
  subject: string
  defaultConnections: number
  /** Paths for our system and the peers; null for the orders of each. */
  request: Pick<Contender, 'paths' | 'write'> | null
}

/** Measures the same work done by the system and by its peers, window by window. */
export async function sideBySide(stage: Stage, { scenario, subject, defaultConnections, request }: Work): Promise<Findings> {
  const { engines, options, log } = stage
  const orderIds = await makeOrders(stage.quittance)
  const ours = createContender(
    stage.quittance,
    orderIds.map((id) => `/v1/orders/${id}`),
  )
  await using peers = await startPeers(engines, options.peers)
  using loader = startLoader()
  const contenders = [ours, ...peers.contenders].map((contender) => ({ ...contender, ...request }))
  const idle = await measureIdle(contenders, engines)
  const measuring = { loader, stage, connections: options.connections ?? defaultConnections }
  const windows = await interleaved(contenders, {
    options,
    log,
    warmUp: (contender, seconds) => warmUp(contender, { ...measuring, seconds }),
    afterWarmUp: () => analyze(contenders, engines),
    measure: (contender) => measure(contender, measuring),
  })
  const title = `${scenario}: ${subject}, ${measuring.connections} in flight; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
  const limits = request?.write ? { p1: 1.3, p2: 1 / 1.5 } : { p1: 1, px: 1.2, p2: 1 / 3 }
  return { scenario, ...comparison({ title, windows, idle, limits }) }
}
