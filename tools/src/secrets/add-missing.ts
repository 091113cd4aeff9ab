import { parseEnv } from 'node:util'
import { busUsers, type BusUser } from '@quittance/contracts/nats-users'
import { parseBusSeeds, publicBusKey } from '@quittance/runtime/bus/identity'
import { formatLines } from './env-file.ts'
import { busKey, generateMissing, secretList, type Secrets } from './secret-list.ts'

/** An `.env` with the secrets that it lacked. */
export interface CompletedFile {
  text: string
  /** Names of the added secrets, and of `BUS_PUBLIC_KEYS` if users were added to it. */
  added: string[]
}

/** As dotenv and compose read it. */
const publicKeysLine = /^[ \t]*(export[ \t]+)?BUS_PUBLIC_KEYS[ \t]*=.*$/m

/**
 * Adds the secrets that a later release needs to an `.env`. Every other line stays as it is, also what its owner wrote. A user whose `BUS_KEY` was
 * lost gets a new one, which replaces its public keys.
 */
export function addMissing(text: string): CompletedFile {
  const known = Object.fromEntries(Object.entries(parseEnv(text)).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const all = generateMissing(known, secretList)
  const missing = secretList.filter(({ name }) => !known[name])
  const added = missing.map(({ name }) => name)
  const publicKeys = known['BUS_PUBLIC_KEYS']
  const completed = publicKeys && completePublicKeys(publicKeys, { known, all })
  const isCompleted = completed !== publicKeys
  const kept = isCompleted ? text.replace(publicKeysLine, `BUS_PUBLIC_KEYS=${completed}`) : text
  if (isCompleted) added.push('BUS_PUBLIC_KEYS')
  if (missing.length === 0) return { text: kept, added }
  return { text: `${kept.replace(/\n*$/, '\n\n')}${formatLines(missing, all).join('\n')}`, added }
}

/** Services reject messages of a user whose public key they do not have. */
function completePublicKeys(publicKeys: string, { known, all }: { known: Secrets; all: Secrets }): string {
  const entries = publicKeys.split(',').map((entry) => entry.trim())
  const getUser = (entry: string) => entry.split('=')[0] as BusUser
  const current = entries.filter((entry) => known[busKey(getUser(entry))])
  const listed = new Set(current.map((entry) => getUser(entry)))
  const absent = busUsers.filter((user) => !listed.has(user))
  if (absent.length === 0) return publicKeys
  const added = absent.flatMap((user) => parseBusSeeds(all[busKey(user)] as string).map((seed) => `${user}=${publicBusKey(seed)}`))
  return [...current, ...added].join(',')
}
