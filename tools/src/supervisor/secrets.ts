import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readJsonFile, writeJsonFile } from '@quittance/testing/engines/json-file'
import { databaseOwners, generateMissing, migrationPassword, secretList, type Secrets } from '../secrets/secret-list.ts'

/** The format in which releases up to 0.1.0 stored them. */
interface EarlierSecrets {
  databases: Record<(typeof databaseOwners)[number], string>
  link: string
  keys: Record<'auth' | 'webhooks', string>
}

/**
 * Returns the secrets of a data folder, readable by its owner only. They are generated once; those that a later release needs are added.
 * Without them the data they protect are lost, so they are not generated beside an existing cluster.
 */
export function readSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json')
  const stored = readJsonFile<EarlierSecrets | Secrets>(file)
  // Written before the cluster is created: a first start that was interrupted has no cluster without them.
  if (!stored && existsSync(join(dataDir, 'postgres')))
    throw new Error(`${file} is missing, and the rows in ${join(dataDir, 'postgres')} are sealed under its keys. ${restoreAdvice(file)}`)
  const all = generateMissing(
    stored ? byName(stored) : {},
    secretList.filter(({ isOfEngine }) => !isOfEngine),
  )
  if (!isDeepStrictEqual(all, stored)) writeJsonFile(file, all)
  return all
}

/** Returns what to do about a file of a data folder that is lost or damaged, without which its data are lost. */
export function restoreAdvice(file: string): string {
  return `Restore ${basename(file)} from the backup (docs/operations.md, "Backup and restore"), or choose another folder with --data.`
}

function byName(kept: EarlierSecrets | Secrets): Secrets {
  if (typeof kept['link'] !== 'string') return kept as Secrets
  const { databases, link, keys } = kept as EarlierSecrets
  return {
    ...Object.fromEntries(databaseOwners.map((owner) => [migrationPassword(owner), databases[owner]])),
    LINK_SECRET: link,
    SECRETS_KEY_AUTH: keys.auth,
    SECRETS_KEY_WEBHOOKS: keys.webhooks,
  }
}
