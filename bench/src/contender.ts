/** A system whose cost is measured. All contenders of a run share one PostgreSQL server and one nats-server. */
import { postgresCpuMs, processCpuMs, treeCpuMs, type Span } from './cpu.ts'
import type { Engines } from './engines.ts'

export const parts = ['gateway', 'service', 'others', 'postgres', 'nats'] as const
export type Part = (typeof parts)[number]

/** CPU time by part, in milliseconds. */
export type Cpu = Record<Part, number>

export interface Contender {
  name: string
  origin: string
  token: string
  /** Paths to request, chosen at random. */
  paths: readonly string[]
  /** Body of a write, in which `{n}` is a different text in every request; null to read. */
  write?: string | null
  /** Processes by part; child processes are included. */
  processes: Record<'gateway' | 'service' | 'others', readonly number[]>
  /**
   * Starts the other processes and writes their log lines to files. Shown but not counted, because a deployment has a separate log
   * collector.
   */
  launcher: number | null
  /** Databases of the contender: sessions on others are not counted. */
  databases: readonly string[]
  /** Separate servers; absent for those that the contenders of a run share. */
  engines?: Engines
}

/**
 * Computes the CPU time of everything that works for a contender. It includes what nats-server does for others at the same time: the idle
 * line shows how much that is.
 */
export function computeCpu({ processes, databases, engines: own }: Contender, { span, engines }: { span: Span; engines: Engines }): Cpu {
  const { postgres, nats } = own ?? engines
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + treeCpuMs(span, pid), 0)
  return {
    gateway: sum(processes.gateway),
    service: sum(processes.service),
    others: sum(processes.others),
    postgres: postgresCpuMs(span, { root: postgres.pid, databases }),
    nats: sum([nats.pid]),
  }
}

export function launcherCpuMs({ launcher }: Contender, span: Span): number {
  return launcher === null ? 0 : processCpuMs(span, launcher)
}

export function total(cpu: Cpu): number {
  return parts.reduce((sum, part) => sum + cpu[part], 0)
}
