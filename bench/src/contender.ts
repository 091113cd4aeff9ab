/** A system whose cost is measured. All contenders of a run share one PostgreSQL server and one nats-server. */
import { postgresCpuMs, processCpuMs, treeCpuMs, type Span } from './cpu.ts'
import type { Engines } from './engines.ts'

export const parts = ['gateway', 'service', 'others', 'postgres', 'nats'] as const
export type Part = (typeof parts)[number]

/** CPU time by part; in milliseconds. */
export type Cpu = Record<Part, number>

export interface Contender {
  name: string
  origin: string
  token: string
  /** What is asked for, at random. */
  paths: readonly string[]
  /** Body of a write, in which `{n}` is another text in every request; null to read. */
  write?: string | null
  /** Processes by part; what they start counts with them. */
  processes: Record<'gateway' | 'service' | 'others', readonly number[]>
  /** Starts the others and files their log lines: shown, not counted, because a deployment has a collector of its own. */
  launcher: number | null
  /** Its databases: sessions on others are not its own. */
  databases: readonly string[]
}

/** CPU of everything that works for a contender. What nats-server does for others meanwhile is part of it: the idle line shows it. */
export function cpuOf({ processes, databases }: Contender, { span, engines: { postgres, nats } }: { span: Span; engines: Engines }): Cpu {
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
