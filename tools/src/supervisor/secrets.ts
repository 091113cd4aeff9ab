import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseOwners, generateMissing, migrationPassword, secretList, type Secrets } from '../secrets/secret-list.ts'

/** The format in which releases up to 0.1.0 stored them. */
interface EarlierSecrets {
  databases: Record<(typeof databaseOwners)[number], string>
  link: string
  keys: Record<'auth' | 'webhooks', string>
}

/**
 * Returns the secrets of a data folder, readable by its owner only. They are generated once; those that a later release needs are added.
 * Without them the data they protect are lost.
 */
export function readSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json')
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : null
  const known = stored === null ? {} : byName(JSON.parse(stored))
  const all = generateMissing(
    known,
    secretList.filter(({ isOfEngine }) => !isOfEngine),
  )
  const content = `${JSON.stringify(all, null, 2)}\n`
  if (content !== stored) replaceFile(file, content)
  return all
}

/** Synced before it replaces the file: after a power failure the folder would otherwise have an empty one. */
function replaceFile(file: string, content: string): void {
  const descriptor = openSync(`${file}.new`, 'w', 0o600)
  writeFileSync(descriptor, content)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(`${file}.new`, file)
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
