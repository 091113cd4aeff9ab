import { parseEnv } from 'node:util'
import { busUsers } from '@quittance/contracts/nats-users'
import { parseBusSeeds, publicBusKey } from '@quittance/runtime/bus/identity'
import { formatLines } from './env-file.ts'
import { busKey, generateMissing, secretList, type Secrets } from './secret-list.ts'

/** An `.env` with the secrets that it lacked. */
export interface CompletedFile {
  text: string
  /** Names of the added secrets, and of `BUS_PUBLIC_KEYS` if users were added to it. */
  added: string[]
}

/** Adds the secrets that a later release needs to an `.env`. Every other line stays as it is, also what its owner wrote. */
export function addMissing(text: string): CompletedFile {
  const known = Object.fromEntries(Object.entries(parseEnv(text)).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const all = generateMissing(known, secretList)
  const missing = secretList.filter(({ name }) => !known[name])
  const publicKeys = known['BUS_PUBLIC_KEYS']
  const extended = publicKeys && addUsers(publicKeys, all)
  const isExtended = extended !== publicKeys
  const kept = isExtended ? text.replace(/^BUS_PUBLIC_KEYS=.*$/m, `BUS_PUBLIC_KEYS=${extended}`) : text
  const added = [...missing.map(({ name }) => name), ...(isExtended ? ['BUS_PUBLIC_KEYS'] : [])]
  if (missing.length === 0) return { text: kept, added }
  return { text: `${kept.replace(/\n*$/, '\n\n')}${formatLines(missing, all).join('\n')}`, added }
}

/** Services reject messages of a user whose public key they do not have. */
function addUsers(publicKeys: string, secrets: Secrets): string {
  const listed = new Set(publicKeys.split(',').map((entry) => entry.trim().split('=')[0]))
  const absent = busUsers.filter((user) => !listed.has(user))
  const entries = absent.flatMap((user) => parseBusSeeds(secrets[busKey(user)] as string).map((seed) => `${user}=${publicBusKey(seed)}`))
  return [publicKeys, ...entries].join(',')
}
