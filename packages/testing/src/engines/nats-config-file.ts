import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { natsUsers, type NatsUser } from '@quittance/contracts/nats-users'
import { runProgram } from './find-program.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'
import { natsConfig, quote, type NatsConfigOptions } from './nats-config.ts'
import { recordedProcess } from './process-record.ts'

export interface NatsConfigFileOptions extends Pick<NatsConfigOptions, 'testAccounts' | 'transitional'> {
  /** Folder of the streams. Beside it: `‹dataDir›.conf` and `.passwords`. */
  dataDir: string
  port: number
  monitorPort: number
  /** Whether a server that runs reads it: it takes no other limit of its store. */
  isReload?: boolean
}

/** More than the disk has: a server that starts on a nearly full disk would lack the space for good. */
const maxFileStore = '1TB'

/** Writes the configuration of a nats-server and returns the passwords in it. */
export function writeNatsConfig({
  dataDir,
  port,
  monitorPort,
  isReload = false,
  ...options
}: NatsConfigFileOptions): Record<NatsUser, string> {
  const file = `${dataDir}.conf`
  const passwords = readPasswords(`${dataDir}.passwords`)
  const isLimited = !isReload || readFileSync(file, 'utf8').includes('max_file_store')
  const config = natsConfig({
    ...options,
    ...(isLimited && { maxFileStore }),
    listen: `127.0.0.1:${port}`,
    monitor: `127.0.0.1:${monitorPort}`,
    storeDir: dataDir,
    passwordOf: (user) => quote(passwords[user]),
  })
  writeFileSync(file, config, { mode: 0o600 })
  return passwords
}

/** Rewrites the configuration from the contracts on disk, not from those that this process has loaded, and has the server reload it. */
export async function reloadNatsConfig(options: NatsConfigFileOptions): Promise<void> {
  const script = join(import.meta.dirname, 'rewrite-nats-config.ts')
  const failure = await runProgram(process.execPath, { args: [script, JSON.stringify({ ...options, isReload: true })] })
  if (failure) throw new Error(`The permissions of NATS could not be updated: ${failure}`)
  const pid = recordedProcess(`${options.dataDir}.pid`)
  if (pid) process.kill(pid, 'SIGHUP')
}

function readPasswords(file: string): Record<NatsUser, string> {
  mkdirSync(dirname(file), { recursive: true })
  const known = readJsonFile<Partial<Record<NatsUser, string>>>(file) ?? {}
  const all = Object.fromEntries(natsUsers.map((user) => [user, known[user] ?? randomBytes(24).toString('hex')]))
  if (!isDeepStrictEqual(all, known)) writeJsonFile(file, all)
  return all as Record<NatsUser, string>
}
