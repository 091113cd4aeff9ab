import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { addMissing } from '../secrets/add-missing.ts'
import { envFile } from '../secrets/env-file.ts'
import { kubernetesSecrets } from '../secrets/kubernetes-secrets.ts'
import { generateMissing, secretList } from '../secrets/secret-list.ts'
import { readArguments } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'

export const secrets: Command = {
  name: 'secrets',
  summary: 'Generate every secret of an installation and write them to a file that only its owner can read.',
  help: `Usage: npm run quittance -- secrets [options]

  --format env|kubernetes   an .env for docker compose, or Secret manifests (default env)
  --out FILE                output file (default .env, or quittance-secrets.yaml)
  --add-missing FILE        add what an existing .env lacks for this release, and change nothing else
  --postgres HOST:PORT      address of PostgreSQL as seen by pods (kubernetes only; default postgres:5432)
  --nats HOST:PORT          address of NATS as seen by pods (kubernetes only; default nats:4222)

Creates the file with mode 0600 and never overwrites an existing one. npm start does not need it: it stores its own secrets in its data folder.

Example: npm run quittance -- secrets --format kubernetes --postgres db.internal:5432`,
  async run(args) {
    const text = { type: 'string' } as const
    const given = readArguments(args, { format: text, out: text, 'add-missing': text, postgres: text, nats: text })
    const { 'add-missing': existing, ...others } = given
    if (existing !== undefined) {
      const [ignored] = Object.keys(others)
      if (ignored !== undefined) throw new UsageError(`--add-missing completes an existing .env; omit --${ignored}.`)
      return complete(existing)
    }
    const format = given.format ?? 'env'
    if (format !== 'env' && format !== 'kubernetes') throw new UsageError(`--format must be env or kubernetes, not "${format}".`)
    const generated = generateMissing({}, secretList)
    const places = {
      postgres: parsePlace('--postgres', given.postgres ?? 'postgres:5432'),
      nats: parsePlace('--nats', given.nats ?? 'nats:4222'),
    }
    const content = format === 'env' ? envFile(secretList, generated) : kubernetesSecrets(generated, places)
    const out = given.out ?? (format === 'env' ? '.env' : 'quittance-secrets.yaml')
    createSecretFile(
      out,
      content,
      `${out} exists, and secrets are not overwritten: encrypted rows and databases would be lost. Name another file with --out, or add what is missing with --add-missing.`,
    )
    console.log(`${out}: ${secretList.length} secrets. Keep a copy in a safe place.`)
  },
}

/** Replaces the file in one step: an interrupted command loses no secret. A link stays, and the file that it names is replaced. */
function complete(file: string): void {
  const { text, added } = addMissing(readExisting(file))
  if (added.length > 0) {
    const existing = realpathSync(file)
    const unfinished = `${existing}.new`
    createSecretFile(
      unfinished,
      text,
      `${unfinished} exists: an earlier run was interrupted, or another one is in progress. Remove it and repeat.`,
    )
    renameSync(unfinished, existing)
  }
  console.log(added.length > 0 ? `${file}: added ${added.join(', ')}. Keep a copy in a safe place.` : `${file}: no secret is missing.`)
}

function readExisting(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** It becomes a part of URLs: a whole URL here would be found by the pods, which do not start. */
function parsePlace(option: string, text: string): string {
  if (!/^([\w.-]+|\[[0-9a-f:]+\]):\d{1,5}$/i.test(text)) throw new UsageError(`${option} must be HOST:PORT, not "${text}".`)
  return text
}

function createSecretFile(file: string, content: string, rejection: string): void {
  try {
    writeFileSync(file, content, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(rejection)
  }
}
