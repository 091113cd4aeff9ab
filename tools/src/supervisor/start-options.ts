import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import { readArguments } from '../commands/arguments.ts'
import { UsageError } from '../commands/command.ts'

export interface StartOptions {
  /** Public port of the first gateway; 0 takes a free one. */
  port: number
  /** Folder of everything that is kept; null is a temporary one that is removed at the end. */
  dataDir: string | null
  seed: 'demo' | 'none'
  /** Processes per service. */
  replicas: Record<ServiceName, number>
  readyFile: string | null
}

const mostReplicas = 16

export function parseStartOptions(args: string[]): StartOptions {
  const text = { type: 'string' } as const
  const values = readArguments(args, {
    port: text,
    data: text,
    ephemeral: { type: 'boolean' },
    seed: text,
    replicas: text,
    'ready-file': text,
  })
  if (values.ephemeral && values.data !== undefined) throw new UsageError('--ephemeral keeps nothing: leave out --data.')
  return {
    port: wholeNumber('--port', { text: values.port ?? '8080', least: 0, most: 65_535 }),
    dataDir: values.ephemeral ? null : (values.data ?? '.quittance'),
    seed: parseSeed(values.seed ?? 'demo'),
    replicas: parseReplicas(values.replicas ?? ''),
    readyFile: values['ready-file'] ?? null,
  }
}

function parseSeed(seed: string): 'demo' | 'none' {
  if (seed !== 'demo' && seed !== 'none') throw new UsageError(`--seed is demo or none, not "${seed}".`)
  return seed
}

/** `orders=2,webhooks=3`; services that are not named get one process. */
function parseReplicas(list: string): Record<ServiceName, number> {
  const replicas = Object.fromEntries(serviceNames.map((name) => [name, 1])) as Record<ServiceName, number>
  for (const entry of list.split(',').filter(Boolean)) {
    const [name = '', count = ''] = entry.split('=')
    if (!isService(name)) throw new UsageError(`--replicas: "${name}" is not a service; the services are ${serviceNames.join(', ')}.`)
    replicas[name] = wholeNumber(`--replicas ${name}`, { text: count, least: 1, most: mostReplicas })
  }
  return replicas
}

function isService(name: string): name is ServiceName {
  return (serviceNames as readonly string[]).includes(name)
}

function wholeNumber(option: string, { text, least, most }: { text: string; least: number; most: number }): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${option} is a whole number from ${least} to ${most}, not "${text}".`)
}
