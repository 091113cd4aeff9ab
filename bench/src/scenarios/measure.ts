/** CPU of reads through the gateway, window by window. */
import { setTimeout as delay } from 'node:timers/promises'
import { cpuOf, launcherCpuMs, parts, total, type Contender, type Cpu } from '../contender.ts'
import { readProcesses, type Span } from '../cpu.ts'
import type { Engines } from '../engines.ts'
import { demandNoErrors, type Load, type Loader } from '../load.ts'
import type { Stage } from '../scenario.ts'
import type { Quittance } from '../system/quittance.ts'
import type { Window } from './comparison.ts'

const idleMs = 4_000

/** The system under test, asked for these paths. */
export function contenderOf(quittance: Quittance, paths: readonly string[]): Contender {
  return {
    name: 'quittance',
    origin: quittance.origin,
    token: quittance.token,
    paths,
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
export async function measureIdle(contenders: readonly Contender[], engines: Engines): Promise<Map<string, number>> {
  const before = readProcesses()
  await delay(idleMs)
  const span = { before, after: readProcesses() }
  return new Map(contenders.map((contender) => [contender.name, total(cpuOf(contender, { span, engines })) / (idleMs / 1000)]))
}

export interface Measuring {
  loader: Loader<Load>
  stage: Stage
  /** Requests in flight. */
  connections: number
}

export async function warmUp(contender: Contender, { loader, connections, seconds }: Measuring & { seconds: number }): Promise<void> {
  demandNoErrors(contender, await loader.run({ ...contender, seconds, connections }))
}

export async function measure(contender: Contender, { loader, stage, connections }: Measuring): Promise<Window> {
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
