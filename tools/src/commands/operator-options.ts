import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '@quittance/contracts/errors'
import { scopes, type Scope } from '@quittance/contracts/scopes'
import { withOperator, type Operator } from '../operator.ts'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { UsageError } from './command.ts'

/** Where the running system is. */
export const whereOptions = { data: { type: 'string' }, nats: { type: 'string' } } as const

export const whereHelp = `  --data DIR           folder of the running instance (default .quittance)
  --nats URL           NATS of a system that was started otherwise, with the operator's credentials (default NATS_URL)`

interface Where {
  data?: string | undefined
  nats?: string | undefined
}

/** Lets the operator do something and prints the answer as JSON. */
export async function printAnswer({ data, nats }: Where, work: (operator: Operator) => Promise<unknown>): Promise<void> {
  try {
    console.log(JSON.stringify(await withOperator(natsUrl({ data, nats }), work), null, 2))
  } catch (error) {
    if (error instanceof ApiError) throw new UsageError(sentence(error))
    throw error
  }
}

/** The detail of an answered error is a text or a list of what is wrong with which field. */
function sentence({ name, message }: ApiError): string {
  try {
    const detail: unknown = JSON.parse(message)
    const issues = Array.isArray(detail) ? (detail as { loc: unknown[]; msg: string }[]) : []
    return issues.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('\n') || (typeof detail === 'string' ? detail : name)
  } catch {
    return message
  }
}

/** NATS of the system that is meant, with the credentials of the operator. */
export function natsUrl({ data, nats }: Where): string {
  const given = nats ?? (data === undefined ? process.env.NATS_URL : undefined)
  return given ?? runningInstance(data).nats_url
}

/** Addresses of the instance that runs on a data folder. */
export function runningInstance(data: string | undefined): ReadyFile {
  const folder = data ?? '.quittance'
  const file = join(folder, 'instance.json')
  if (!existsSync(file))
    throw new UsageError(`No instance runs on ${folder}. Start one (npm start), or name another with --data or --nats.`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** `orders:read,orders:write`; all when nothing is given. */
export function parseScopes(list: string | undefined): Scope[] {
  if (list === undefined) return [...scopes]
  const names = list.split(/[\s,]+/).filter(Boolean)
  const unknown = names.filter((name) => !(scopes as readonly string[]).includes(name))
  if (unknown.length) throw new UsageError(`--scopes: there is no scope ${unknown.join(', ')}.`)
  return names as Scope[]
}
