import { existsSync, statfsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isFree } from '@quittance/testing/engines/free-ports'
import { findInstance } from '../commands/target-options.ts'
import { missing, ok, warning, type Finding } from './finding.ts'

const gigabyte = 1024 ** 3
const least = { freeDisk: 2 * gigabyte, memory: 2 * gigabyte }

interface MachineOptions {
  port: number
  dataDir: string
}

/** Checks of ports, disk, memory and secrets. */
export async function checkMachine(environment: NodeJS.ProcessEnv, { port, dataDir }: MachineOptions): Promise<Finding[]> {
  return [await checkPort(port, dataDir), checkDisk(dataDir), checkMemory(), ...checkSecrets(environment, dataDir)]
}

/** Port of an address; that of its scheme if it names none. */
function findPort(address: string): number {
  const url = URL.parse(address)
  return Number(url?.port || (url?.protocol === 'https:' ? 443 : 80))
}

async function checkPort(port: number, dataDir: string): Promise<Finding> {
  if (await isFree(port)) return ok(`port ${port}`, 'free')
  const gateways = findInstance(dataDir)?.services.gateway ?? []
  if (gateways.some(({ url = '' }) => findPort(url) === port)) return ok(`port ${port}`, `in use; an instance runs on ${dataDir}`)
  return missing(`port ${port}`, 'in use', 'Choose another: npm start -- --port 8081, or 0 for a free one.')
}

function checkDisk(dataDir: string): Finding {
  let folder = resolve(dataDir)
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const message = `${((bavail * bsize) / gigabyte).toFixed(1)} GB free for ${dataDir}`
  return bavail * bsize >= least.freeDisk
    ? ok('disk', message)
    : missing('disk', message, 'PostgreSQL, the stream and documents need 2 GB to begin with.')
}

function checkMemory(): Finding {
  const message = `${(totalmem() / gigabyte).toFixed(1)} GB, ${availableParallelism()} processors`
  return totalmem() >= least.memory
    ? ok('memory', message)
    : warning('memory', message, 'The system needs about 1 GB, Chromium half a gigabyte more.')
}

/** A local instance generates its secrets; elsewhere the operator sets them. */
function checkSecrets(environment: NodeJS.ProcessEnv, dataDir: string): Finding[] {
  const findings: Finding[] = []
  const { LINK_SECRET, SECRETS_KEY } = environment
  if (LINK_SECRET !== undefined && LINK_SECRET.length < 32) {
    findings.push(missing('LINK_SECRET', `${LINK_SECRET.length} characters`, 'At least 32 characters: openssl rand -base64 48.'))
  }
  const isKey = (text: string) => Buffer.from(text.trim(), 'base64').length === 32
  if (SECRETS_KEY !== undefined && !SECRETS_KEY.split(',').every(isKey)) {
    findings.push(missing('SECRETS_KEY', 'not 32 bytes in base64', 'openssl rand -base64 32; several separated by commas, newest first.'))
  }
  const file = join(dataDir, 'secrets.json')
  const description = existsSync(file) ? `in ${file}; back it up with the databases` : `generated at the first start into ${file}`
  return findings.length > 0 ? findings : [ok('secrets', LINK_SECRET && SECRETS_KEY ? 'set by the environment' : description)]
}
