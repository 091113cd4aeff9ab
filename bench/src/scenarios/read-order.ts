/** What one read through the gateway costs, side by side with peers that do the same. */
import { setTimeout as delay } from 'node:timers/promises'
import { cpuOf, launcherCpuMs, parts, total, type Contender, type Cpu } from '../contender.ts'
import { readProcesses, type Span } from '../cpu.ts'
import type { Engines } from '../engines.ts'
import { startLoader, type Loader, type LoadResult } from '../load.ts'
import { startPeers } from '../peers/p1/start.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { makeOrders } from '../system/orders.ts'
import type { Quittance } from '../system/quittance.ts'
import { volume } from '../volume.ts'
import { comparison, type Window } from './comparison.ts'

/** The compiler of Node goes on for seconds; code that is not yet compiled costs more, and there is more of it in ours. */
const firstWarmUpSeconds = 10
const warmUpSeconds = 1
const idleMs = 4_000

export const readOrder: Scenario = {
  summary: 'CPU, rate and latency of GET /v1/orders/{id} through the gateway, side by side with peers',
  async run(stage) {
    const { engines, options, say } = stage
    const ours = await enterQuittance(stage.quittance)
    await using peers = await startPeers(engines, options.peers)
    using loader = startLoader()
    const contenders = [ours, ...peers.contenders]
    const seconds = Math.ceil(contenders.length * (firstWarmUpSeconds + options.rounds * (options.seconds + warmUpSeconds)) * 1.05)
    say(`${contenders.map(({ name }) => name).join(', ')} are ready; measuring for about ${seconds} s`)
    const idle = await measureIdle(contenders, engines)
    for (const contender of contenders) await warmUp(contender, { loader, stage, seconds: firstWarmUpSeconds })
    const windows = new Map(contenders.map((contender) => [contender.name, [] as Window[]]))
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const contender of contenders) {
        await warmUp(contender, { loader, stage, seconds: warmUpSeconds })
        windows.get(contender.name)?.push(await measure(contender, { loader, stage }))
      }
      say(`round ${round} of ${options.rounds} is done`)
    }
    const { orders, linesPerOrder } = volume
    const subject = `GET /v1/orders/{id}, ${linesPerOrder} lines, one of ${orders} at random, ${options.connections} in flight`
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
  loader: Loader
  stage: Stage
}

async function warmUp(contender: Contender, { loader, stage, seconds }: Measuring & { seconds: number }): Promise<void> {
  demandNoErrors(contender, await loader.run({ ...contender, seconds, connections: stage.options.connections }))
}

async function measure(contender: Contender, { loader, stage }: Measuring): Promise<Window> {
  const { engines, options } = stage
  const before = readProcesses()
  const result = await loader.run({ ...contender, seconds: options.seconds, connections: options.connections })
  const span = { before, after: readProcesses() }
  demandNoErrors(contender, result)
  demandAlive(contender, { span, stage })
  const cpu = cpuOf(contender, { span, engines })
  const perRequest = Object.fromEntries(parts.map((part) => [part, cpu[part] / result.answered])) as Cpu
  const launcher = launcherCpuMs(contender, span) / result.answered
  return { ...result, cpuMs: perRequest, totalCpuMs: total(cpu) / result.answered, launcherCpuMs: launcher }
}

/** A failed request costs another amount of work than an answered one: such a run says nothing. */
function demandNoErrors({ name }: Contender, { errors, answered, firstError }: LoadResult): void {
  if (errors > 0) throw new Error(`The run is not valid: ${name} failed ${errors} of ${errors + answered} requests (${firstError}).`)
}

/** A process that was replaced meanwhile would be counted as one that does nothing. */
function demandAlive({ name, processes }: Contender, { span, stage }: { span: Span; stage: Stage }): void {
  const gone = Object.values(processes)
    .flat()
    .filter((pid) => !span.after.has(pid))
  if (gone.length > 0) throw new Error(`The run is not valid: ${gone.length} processes of ${name} have ended.\n${stage.quittance.output()}`)
}
