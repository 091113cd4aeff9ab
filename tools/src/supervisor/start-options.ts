import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import { parsePort, parseWholeNumber, readArguments } from '../cli/arguments.ts'
import { UsageError } from '../cli/command.ts'

/** Folder in which `npm start` keeps its data, and commands look for the system. */
export const defaultDataFolder = '.quittance'

export interface StartOptions {
  /** Public port of the first gateway; 0 takes a free one. */
  port: number
  /** Folder of all stored data; null is a temporary one that is removed at the end. */
  dataDir: string | null
  seed: 'demo' | 'none'
  /** Processes per service. */
  replicas: Record<ServiceName, number>
  readyFile: string | null
  /** Restarts services when their sources change. */
  watch: boolean
  /** Disabled features that are requested by name. */
  allow: ReadonlySet<Allowance>
}

/** `loopback-webhooks`: endpoints on this machine. `sandbox-payments`: the processor that moves no money. */
export const allowances = ['loopback-webhooks', 'sandbox-payments'] as const
export type Allowance = (typeof allowances)[number]

const maxReplicas = 16

export function parseStartOptions(args: string[]): StartOptions {
  const text = { type: 'string' } as const
  const values = readArguments(args, {
    port: text,
    data: text,
    ephemeral: { type: 'boolean' },
    seed: text,
    replicas: text,
    'ready-file': text,
    watch: { type: 'boolean' },
    allow: { type: 'string', multiple: true },
  })
  if (values.ephemeral && values.data !== undefined) throw new UsageError('--ephemeral stores nothing: omit --data.')
  return {
    port: parsePort(values.port ?? '8080'),
    dataDir: values.ephemeral ? null : (values.data ?? defaultDataFolder),
    seed: parseSeed(values.seed ?? 'demo'),
    replicas: parseReplicas(values.replicas ?? ''),
    readyFile: values['ready-file'] ?? null,
    watch: values.watch ?? false,
    allow: parseAllowances(values.allow ?? []),
  }
}

function parseAllowances(lists: readonly string[]): ReadonlySet<Allowance> {
  const named = lists.flatMap((list) => list.split(',').filter(Boolean))
  const unknown = named.find((name) => !(allowances as readonly string[]).includes(name))
  if (unknown !== undefined) throw new UsageError(`--allow: "${unknown}" is not one of ${allowances.join(', ')}.`)
  return new Set(named as Allowance[])
}

function parseSeed(seed: string): 'demo' | 'none' {
  if (seed !== 'demo' && seed !== 'none') throw new UsageError(`--seed must be demo or none, not "${seed}".`)
  return seed
}

/** Parses `orders=2,webhooks=3`; services that are not named get one process. */
function parseReplicas(list: string): Record<ServiceName, number> {
  const replicas = Object.fromEntries(serviceNames.map((name) => [name, 1])) as Record<ServiceName, number>
  for (const entry of list.split(',').filter(Boolean)) {
    const [name = '', count = ''] = entry.split('=')
    if (!isService(name)) throw new UsageError(`--replicas: "${name}" is not a service; the services are ${serviceNames.join(', ')}.`)
    replicas[name] = parseWholeNumber(`--replicas ${name}`, { text: count, min: 1, max: maxReplicas })
  }
  return replicas
}

function isService(name: string): name is ServiceName {
  return (serviceNames as readonly string[]).includes(name)
}
