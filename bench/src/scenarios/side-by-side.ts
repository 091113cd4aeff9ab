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
  const orderIds = await makeOrders(stage.quittance)
  const ours = createContender(
    stage.quittance,
    orderIds.map((id) => `/v1/orders/${id}`),
  )
  await using peers = await startPeers(stage.engines, stage.options.peers)
  const contenders = [ours, ...peers.contenders].map((contender) => ({ ...contender, ...request }))
  const limits = request?.write ? { p1: 1.3, p2: 1 / 1.5 } : { p1: 1, px: 1.2, p2: 1 / 3 }
  const connections = stage.options.connections ?? defaultConnections
  return { scenario, ...(await compareContenders(stage, { contenders, title: `${scenario}: ${subject}`, connections, limits })) }
}

interface Comparison {
  contenders: readonly Contender[]
  /** Scenario and description of one request. */
  title: string
  /** Requests in flight. */
  connections: number
  /** Maximum cost of the first contender as a multiple of another, by the name of that one. */
  limits: Record<string, number>
}

/** Measures contenders window by window, after their CPU without requests. */
export async function compareContenders(
  stage: Stage,
  { contenders, title, connections, limits }: Comparison,
): Promise<Omit<Findings, 'scenario'>> {
  const { engines, options, log } = stage
  using loader = startLoader()
  const idle = await measureIdle(contenders, engines)
  const measuring = { loader, stage, connections }
  const windows = await interleaved(contenders, {
    options,
    log,
    warmUp: (contender, seconds) => warmUp(contender, { ...measuring, seconds }),
    afterWarmUp: () => analyze(contenders, engines),
    measure: (contender) => measure(contender, measuring),
  })
  const described = `${title}, ${connections} in flight; medians of ${options.rounds} interleaved windows of ${options.seconds} s`
  return comparison({ title: described, windows, idle, limits })
}
