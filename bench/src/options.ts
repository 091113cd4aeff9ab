import { parseArgs } from 'node:util'
import { UsageError } from '@quittance/tools/cli/command'
import { peerNames, type PeerName } from './peers/start.ts'

export interface BenchOptions<ScenarioName extends string = string> {
  scenarios: readonly ScenarioName[]
  peers: PeerName[]
  /** Length of one measured window. */
  seconds: number
  rounds: number
  /** Requests in flight; null for the default of the scenario. */
  connections: number | null
  jsonFile: string | null
  isRecorded: boolean
}

/** Returns the help text. `summaries` are those of the scenarios by name. */
export const formatHelp = (summaries: Readonly<Record<string, { summary: string }>>) => `Usage: npm run bench -- [SCENARIO …] [options]

${Object.entries(summaries)
  .map(([name, { summary }]) => `  ${name.padEnd(18)} ${summary}`)
  .join('\n')}

  --peers LIST       peers to compare with: ${peerNames.join(', ')} (default all; "" for none)
  --seconds N        length of a measured window (default 8)
  --rounds N         windows per system, interleaved; the table shows medians (default 5)
  --connections N    requests in flight (default 64; refresh-token 32)
  --json PATH        write all figures to this file
  --record           record the findings in bench/RESULTS.md

Example: npm run bench -- read-order --seconds 10 --rounds 7`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const table = { peers: text, seconds: text, rounds: text, connections: text, json: text, record: flag, help: flag }

/** Parses the command line. Returns null if help was requested. */
export function parseOptions<Name extends string>(args: string[], scenarioNames: readonly Name[]): BenchOptions<Name> | null {
  const { values, positionals } = read(args)
  if (values.help) return null
  const selected = positionals.map((name) => parseName('A scenario', { name, names: scenarioNames }))
  const peers = (values.peers ?? peerNames.join(',')).split(',').filter(Boolean)
  return {
    scenarios: selected.length > 0 ? selected : scenarioNames,
    peers: peers.map((name) => parseName('A peer', { name, names: peerNames })),
    seconds: parseWholeNumber('--seconds', { value: values.seconds ?? '8', max: 300 }),
    rounds: parseWholeNumber('--rounds', { value: values.rounds ?? '5', max: 100 }),
    connections: values.connections ? parseWholeNumber('--connections', { value: values.connections, max: 250 }) : null,
    jsonFile: values.json ?? null,
    isRecorded: values.record ?? false,
  }
}

function read(args: string[]) {
  try {
    return parseArgs({ args, options: table, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function parseName<Name extends string>(what: string, { name, names }: { name: string; names: readonly Name[] }): Name {
  const found = names.find((known) => known === name)
  if (!found) throw new UsageError(`${what} is ${names.join(' or ')}, not "${name}".`)
  return found
}

function parseWholeNumber(option: string, { value, max }: { value: string; max: number }): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= max) return number
  throw new UsageError(`${option} must be a whole number from 1 to ${max}, not "${value}".`)
}
