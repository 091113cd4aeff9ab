/** What one read through the gateway costs, side by side with peers that do the same. */
import { setTimeout as delay } from 'node:timers/promises'
import { cpuOf, launcherCpuMs, parts, total, type Contender, type Cpu } from '../contender.ts'
import { readProcesses, type Span } from '../cpu.ts'
import type { Engines } from '../engines.ts'
import { demandNoErrors, startLoader, type Load, type Loader } from '../load.ts'
import { startPeers } from '../peers/p1/start.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { volume } from '../volume.ts'
import { comparison, type Window } from './comparison.ts'
import { interleaved } from './interleaved.ts'

const idleMs = 4_000
const usualConnections = 64

export const readOrder: Scenario = {
  summary: 'CPU, rate and latency of GET /v1/orders/{id} through the gateway, side by side with peers',
  async run(stage) {
    const { engines, options, say } = stage
    const ours = await enterQuittance(stage.quittance)
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

async function enterQuittance(quittance: Quittance): Promise<Contender> {
  const orderIds = await makeOrders(quittance)
  return {
    name: 'quittance',
    origin: quittance.origin,
    token: quittance.token,
    paths: orderIds.map((id) => `/v1/orders/${id}`),
    processes: {
      gateway: quittance.pids('gateway'),
      service: quittance.pids('orders'),
      others: (['auth', 'invoices', 'webhooks'] as const).flatMap(quittance.pids),
    },
    databases: ['orders', 'auth', 'invoices', 'webhooks'],
    launcher: quittance.launcherPid,
  }
}

/** CPU in milliseconds per second when nobody asks for anything: what a window is charged without a request. */
async function measureIdle(contenders: readonly Contender[], engines: Engines): Promise<Map<string, number>> {
  const before = readProcesses()
  await delay(idleMs)
  const span = { before, after: readProcesses() }
  return new Map(contenders.map((contender) => [contender.name, total(cpuOf(contender, { span, engines })) / (idleMs / 1000)]))
}

interface Measuring {
  loader: Loader<Load>
  stage: Stage
  /** Requests in flight. */
  connections: number
}

async function warmUp(contender: Contender, { loader, connections, seconds }: Measuring & { seconds: number }): Promise<void> {
  demandNoErrors(contender, await loader.run({ ...contender, seconds, connections }))
}

async function measure(contender: Contender, { loader, stage, connections }: Measuring): Promise<Window> {
  const { engines, options } = stage
  const before = readProcesses()
  const result = await loader.run({ ...contender, seconds: options.seconds, connections })
  const span = { before, after: readProcesses() }
  demandNoErrors(contender, result)
  demandAlive(contender, { span, stage })
  const cpu = cpuOf(contender, { span, engines })
  const perRequest = Object.fromEntries(parts.map((part) => [part, cpu[part] / result.answered])) as Cpu
  const launcher = launcherCpuMs(contender, span) / result.answered
  return { ...result, cpuMs: perRequest, totalCpuMs: total(cpu) / result.answered, launcherCpuMs: launcher }
}

/** A process that was replaced meanwhile would be counted as one that does nothing. */
function demandAlive({ name, processes }: Contender, { span, stage }: { span: Span; stage: Stage }): void {
  const gone = Object.values(processes)
    .flat()
    .filter((pid) => !span.after.has(pid))
  if (gone.length > 0) throw new Error(`The run is not valid: ${gone.length} processes of ${name} have ended.\n${stage.quittance.output()}`)
}
