/** Measures the CPU of requests through the gateway, window by window. */
import { setTimeout as delay } from 'node:timers/promises'
import { computeCpu, launcherCpuMs, parts, total, type Contender, type Cpu } from '../contender.ts'
import { readProcesses, type Span } from '../cpu.ts'
import type { Engines } from '../engines.ts'
import { assertNoErrors, type Load, type Loader } from '../load.ts'
import type { Stage } from '../scenario.ts'
import { inDatabase } from '../system/deliveries.ts'
import type { Quittance } from '../system/quittance.ts'
import type { Window } from './comparison.ts'

const idleMs = 4_000

/** Describes the system under test as a contender that serves these paths. */
export function createContender(quittance: Quittance, paths: readonly string[]): Contender {
  return {
    name: 'quittance',
    origin: quittance.origin,
    token: quittance.token,
    paths,
    processes: {
      gateway: quittance.pids('gateway'),
      service: quittance.pids('orders'),
      others: (['auth', 'invoices', 'mail', 'provisioner', 'storefront', 'usage', 'webhooks'] as const).flatMap(quittance.pids),
    },
    databases: ['auth', 'invoices', 'mail', 'orders', 'usage', 'webhooks'],
    launcher: quittance.launcherPid,
  }
}

/** Measures CPU milliseconds per second without requests: the share of a window that no request causes. */
export async function measureIdle(contenders: readonly Contender[], engines: Engines): Promise<Map<string, number>> {
  const before = readProcesses()
  await delay(idleMs)
  const span = { before, after: readProcesses() }
  return new Map(contenders.map((contender) => [contender.name, total(computeCpu(contender, { span, engines })) / (idleMs / 1000)]))
}

/**
 * Updates the statistics of the planner, as autovacuum does within a minute of the first rows. Without them PostgreSQL keeps the plans that it
 * made for empty tables for as long as a run takes.
 */
export async function analyze(contenders: readonly Contender[], engines: Engines): Promise<void> {
  const urls = contenders.flatMap(({ databases, engines: own }) => databases.map((each) => (own ?? engines).postgres.url(each)))
  for (const url of new Set(urls)) await inDatabase(url, (client) => client.query('analyze'))
}

export interface Measuring {
  loader: Loader<Load>
  stage: Stage
  /** Requests in flight. */
  connections: number
}

export async function warmUp(contender: Contender, { loader, connections, seconds }: Measuring & { seconds: number }): Promise<void> {
  assertNoErrors(contender, await loader.run({ ...contender, seconds, connections }))
}

export async function measure(contender: Contender, { loader, stage, connections }: Measuring): Promise<Window> {
  const { engines, options } = stage
  const before = readProcesses()
  const result = await loader.run({ ...contender, seconds: options.seconds, connections })
  const span = { before, after: readProcesses() }
  assertNoErrors(contender, result)
  assertAlive(contender, { span, stage })
  const cpu = computeCpu(contender, { span, engines })
  const perRequest = Object.fromEntries(parts.map((part) => [part, cpu[part] / result.answered])) as Cpu
  const launcher = launcherCpuMs(contender, span) / result.answered
  return { ...result, cpuMs: perRequest, totalCpuMs: total(cpu) / result.answered, launcherCpuMs: launcher }
}

/** Throws if a process has ended: one that was replaced in the window would be counted as idle. */
function assertAlive({ name, processes }: Contender, { span, stage }: { span: Span; stage: Stage }): void {
  const ended = Object.values(processes)
    .flat()
    .filter((pid) => !span.after.has(pid))
  if (ended.length > 0)
    throw new Error(`The run is not valid: ${ended.length} processes of ${name} have ended.\n${stage.quittance.output()}`)
}
