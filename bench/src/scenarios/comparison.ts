import { parts, type Part } from '../contender.ts'
import type { LoadResult } from '../load.ts'
import { median, ratio, ratioLine } from '../statistics.ts'
import { table } from '../table.ts'

/** One measured window of one contender; CPU in milliseconds per successful request. */
export interface Window extends LoadResult {
  cpuMs: Record<Part, number>
  totalCpuMs: number
  launcherCpuMs: number
}

interface Measured {
  title: string
  /** Windows by contender and round; the system under test comes first. */
  windows: ReadonlyMap<string, readonly Window[]>
  /** CPU milliseconds per second without requests. */
  idle: ReadonlyMap<string, number>
  /** Maximum cost of the first contender as a multiple of another. */
  limits: Record<string, number>
}

export function comparison({ title, windows, idle, limits }: Measured): { text: string; figures: unknown } {
  const rows = [...windows].map(([name, own]) => ({ name, ...medians(own) }))
  const [first, ...peers] = [...windows] as [[string, readonly Window[]], ...[string, readonly Window[]][]]
  const ratios = peers.map(([peer, own]) => ({ system: first[0], peer, ...ratio(listCpuMs(first[1]), listCpuMs(own)) }))
  const idleLine = `Without requests: ${[...idle].map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')} ms of CPU per second (included above).`
  const launcherMs = median(first[1].map(({ launcherCpuMs }) => launcherCpuMs))
  const launcherLine = `Not counted: ${launcherMs.toFixed(3)} ms/request of the launcher, which writes the log lines of ${first[0]} to files.`
  const text = [
    title,
    '',
    ...formatTable(rows),
    '',
    ...ratios.map(({ system, peer, ...each }) => ratioLine(`CPU ${system} / ${peer}`, each, limits[peer])),
    idleLine,
    launcherLine,
  ].join('\n')
  return { text, figures: { rows, ratios, idle: Object.fromEntries(idle), windows: Object.fromEntries(windows) } }
}

const listCpuMs = (windows: readonly Window[]) => windows.map(({ totalCpuMs }) => totalCpuMs)

type Row = ReturnType<typeof medians> & { name: string }

function medians(windows: readonly Window[]) {
  const of = (pick: (window: Window) => number) => median(windows.map(pick))
  return {
    requestsPerSecond: of(({ answered, seconds }) => answered / seconds),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    totalCpuMs: of(({ totalCpuMs }) => totalCpuMs),
    cpuMs: Object.fromEntries(parts.map((part) => [part, of(({ cpuMs }) => cpuMs[part])])) as Record<Part, number>,
    bytes: of(({ meanBytes }) => meanBytes),
    errors: windows.reduce((sum, { errors }) => sum + errors, 0),
  }
}

function formatTable(rows: readonly Row[]): string[] {
  return table(
    ['system', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms/request', ...parts, 'bytes', 'errors'],
    rows.map(({ name, requestsPerSecond, p50Ms, p99Ms, totalCpuMs, cpuMs, bytes, errors }) => [
      name,
      requestsPerSecond.toFixed(0),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      totalCpuMs.toFixed(3),
      ...parts.map((part) => cpuMs[part].toFixed(3)),
      bytes.toFixed(0),
      String(errors),
    ]),
  )
}
