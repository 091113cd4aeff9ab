import { parseArgs } from 'node:util'
import { UsageError } from '@quittance/tools/commands/command'
import { peerNames, type PeerName } from './peers/start.ts'
import { scenarioNames, scenarios, type ScenarioName } from './scenarios.ts'

export interface BenchOptions {
  scenarios: ScenarioName[]
  peers: PeerName[]
  /** Length of one measured window. */
  seconds: number
  rounds: number
  /** Requests in flight; null for what is usual in the scenario. */
  connections: number | null
  jsonFile: string | null
  isRecorded: boolean
}

export const help = `Usage: npm run bench -- [SCENARIO …] [options]

${scenarioNames.map((name) => `  ${name.padEnd(18)} ${scenarios[name].summary}`).join('\n')}

  --peers LIST       peers to compare with: ${peerNames.join(', ')} (default all; "" for none)
  --seconds N        length of a measured window (default 8)
  --rounds N         windows per system, interleaved; the table shows medians (default 5)
  --connections N    requests in flight (default 64; refresh-token 32)
  --json PATH        write all figures there
  --record           append the findings to bench/RESULTS.md

Example: npm run bench -- read-order --seconds 10 --rounds 7`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const table = { peers: text, seconds: text, rounds: text, connections: text, json: text, record: flag, help: flag }

/** Null when help was asked for. */
export function parseOptions(args: string[]): BenchOptions | null {
  const { values, positionals } = read(args)
  if (values.help) return null
  const named = positionals.map((name) => oneOf('A scenario', { name, names: scenarioNames }))
  const peers = (values.peers ?? peerNames.join(',')).split(',').filter(Boolean)
  return {
    scenarios: named.length > 0 ? named : scenarioNames,
    peers: peers.map((name) => oneOf('A peer', { name, names: peerNames })),
    seconds: wholeNumber('--seconds', { value: values.seconds ?? '8', most: 300 }),
    rounds: wholeNumber('--rounds', { value: values.rounds ?? '5', most: 100 }),
    connections: values.connections ? wholeNumber('--connections', { value: values.connections, most: 250 }) : null,
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

function oneOf<Name extends string>(what: string, { name, names }: { name: string; names: readonly Name[] }): Name {
  const found = names.find((known) => known === name)
  if (!found) throw new UsageError(`${what} is ${names.join(' or ')}, not "${name}".`)
  return found
}

function wholeNumber(option: string, { value, most }: { value: string; most: number }): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= most) return number
  throw new UsageError(`${option} is a whole number from 1 to ${most}, not "${value}".`)
}
