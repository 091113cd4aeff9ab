import { join } from 'node:path'
import { ApiError, RequestValidationError } from '@quittance/contracts/errors'
import { withoutEmptySettings } from '@quittance/runtime/config'
import type { OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { withOperator, type Operator } from '../operator.ts'
import { readJsonFile } from '@quittance/testing/engines/json-file'
import { recordedProcess } from '@quittance/testing/engines/process-record'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { UsageError } from '../cli/command.ts'
import { defaultDataFolder } from '../supervisor/start-options.ts'

/** Options that locate the running system. */
export const targetOptions = { data: { type: 'string' }, nats: { type: 'string' } } as const

export const targetHelp = `  --data DIR           folder of the running instance (default .quittance)
  --nats URL           NATS of a system without a data folder here, with the operator's credentials (default NATS_URL);
                       BUS_KEY and BUS_PUBLIC_KEYS of the operator are taken from the environment`

interface Target {
  data?: string | undefined
  nats?: string | undefined
}

/** Performs a request as the operator and prints the reply as JSON. `target` has all options of the command. */
export async function printReply(target: Target, work: (operator: Operator) => Promise<unknown>): Promise<void> {
  console.log(JSON.stringify(await request(target, work), null, 2))
}

/** Performs a request as the operator. A request that the service rejects is an error of usage, with its detail and the option. */
export async function request<Reply>(target: Target, work: (operator: Operator) => Promise<Reply>): Promise<Reply> {
  try {
    return await withOperator(operatorAccess(target), work)
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) throw new UsageError(describeRejection(error, target))
    throw error
  }
}

/** Returns one line for each rejected field, named as the option that it comes from. */
export function describeRejection(error: ApiError, options: object): string {
  if (!(error instanceof RequestValidationError)) return error.message
  const name = ([, field, ...others]: RequestValidationError['issues'][number]['loc']) => {
    const option = findOption(String(field), options)
    return option === undefined ? [field, ...others].join('.') : `--${option}`
  }
  return error.issues.map(({ loc, msg }) => `${name(loc)}: ${msg}`).join('\n')
}

/** Options that do not have the name of their field. */
const otherNames: Record<string, readonly string[]> = { user_id: ['owner', 'account'], organization_ids: ['only'] }

/** Finds the given option of a field: `account_id` is `--account`, and `ids` is `--id`. */
function findOption(field: string, options: object): string | undefined {
  const name = field.replaceAll('_', '-')
  const names = [name, name.replace(/-ids?$/, ''), name.replace(/s$/, ''), ...(otherNames[field] ?? [])]
  return names.find((each) => Object.hasOwn(options, each))
}

/** Returns NATS of the target system, with the credentials of the user `stream`. */
export function streamUrl({ data, nats }: Target): string {
  return findNatsUrl({ data, nats }) ?? runningInstance(data).stream_url
}

/** Returns NATS that an option or the environment names; undefined if the target is an instance with a data folder here. */
export function findNatsUrl({ data, nats }: Target): string | undefined {
  return nats ?? (data === undefined ? withoutEmptySettings(process.env)['NATS_URL'] : undefined)
}

export const streamHelp = `  --data DIR           folder of the running instance (default .quittance)
  --nats URL           NATS of a system without a data folder here, with the credentials of the user stream (default NATS_URL)`

/** Returns how the operator reaches the target system. */
export function operatorAccess({ data, nats }: Target): OperatorAccess {
  const natsUrl = findNatsUrl({ data, nats })
  if (natsUrl === undefined) return accessTo(runningInstance(data))
  const { BUS_KEY: busKey, BUS_PUBLIC_KEYS: busPublicKeys } = withoutEmptySettings(process.env)
  if (!busKey || !busPublicKeys) throw new UsageError('BUS_KEY (of the operator) and BUS_PUBLIC_KEYS must be set with --nats or NATS_URL.')
  return { natsUrl, busKey, busPublicKeys }
}

export function accessTo({ nats_url: natsUrl, operator_bus_key: busKey, bus_public_keys: busPublicKeys }: ReadyFile): OperatorAccess {
  return { natsUrl, busKey, busPublicKeys }
}

/** Returns the addresses of the instance that runs on a data folder. */
export function runningInstance(data: string | undefined): ReadyFile {
  const instance = findInstance(data)
  if (instance) return instance
  throw new UsageError(`No instance runs on ${data ?? defaultDataFolder}. Start one (npm start), or name another with --data or --nats.`)
}

/** Returns the addresses of the instance that runs on a data folder; null if there is none. A supervisor that was killed leaves its file. */
export function findInstance(data: string | undefined): ReadyFile | null {
  const folder = data ?? defaultDataFolder
  const instance = readJsonFile<ReadyFile>(join(folder, 'instance.json'))
  return instance && recordedProcess(join(folder, 'supervisor.pid')) === instance.pid ? instance : null
}

/** Parses `orders:read,orders:write`; returns all of `known` if nothing is given. */
export function parseScopes<Known extends string>(list: string | undefined, known: readonly Known[]): Known[] {
  if (list === undefined) return [...known]
  const names = list.split(/[\s,]+/).filter(Boolean)
  const unknown = names.filter((name) => !(known as readonly string[]).includes(name))
  if (unknown.length) throw new UsageError(`--scopes: there is no scope ${unknown.join(', ')}.`)
  return names as Known[]
}
