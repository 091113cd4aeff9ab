import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgressReporter } from './engine.ts'
import { installWithApt, cacheDir, canUseApt, isExecutable, onPath, runProgram } from './find-program.ts'

const version = 'v2.10.29'
const checksums: Record<string, string> = {
  'linux-amd64': 'e314da74a83a1d3876db8814c27eb990fe729640fd6452025b441bcede8390da',
  'linux-arm64': 'da4b27942ecfb4c5f0c54553d2e7f470ddda9d7581cfe8131b351a0e223ed401',
}
const cached = join(cacheDir, 'nats-server')

/** Returns the path of a nats-server: installed, cached by an earlier start, from the distribution, or from the project's release. */
export async function findNatsServer(report: ProgressReporter): Promise<string> {
  const found = onPath('nats-server') ?? (isExecutable(cached) ? cached : null)
  if (found) return found
  mkdirSync(cacheDir, { recursive: true })
  const reasons: string[] = []
  for (const fetchProgram of [fromDistribution, fromRelease]) {
    const reason = await fetchProgram(report)
    if (reason === null) return cached
    reasons.push(reason)
  }
  throw new Error(
    `nats-server was not found:\n${reasons.map((reason) => `  - ${reason}`).join('\n')}\n` +
      'Install it (apt-get install nats-server, brew install nats-server, or https://github.com/nats-io/nats-server/releases) ' +
      'so that it is on the PATH, or set NATS_URL to a server with JetStream.',
  )
}

/** Unpacked into the cache instead of installed: the distribution's package would start its own server. */
async function fromDistribution(report: ProgressReporter): Promise<string | null> {
  if (!canUseApt()) return 'apt-get: only used as root on Debian and Ubuntu'
  report('fetching nats-server with apt-get (first start)')
  const folder = mkdtempSync(join(cacheDir, 'nats-server-'))
  const failure = (await installWithApt(['download', '-q', 'nats-server'], folder)) ?? (await unpackDeb(folder))
  if (failure) return `apt-get: ${failure}`
  moveToCache(join(folder, 'usr', 'sbin', 'nats-server'), folder)
  return null
}

async function unpackDeb(folder: string): Promise<string | null> {
  const [file] = globSync('*.deb', { cwd: folder })
  return file ? runProgram('dpkg-deb', { args: ['--extract', file, '.'], cwd: folder }) : 'the package was not downloaded'
}

async function fromRelease(report: ProgressReporter): Promise<string | null> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const checksum = checksums[platform]
  if (!checksum) return `release download: no checksum is known for ${platform}`
  const name = `nats-server-${version}-${platform}`
  const url = `https://github.com/nats-io/nats-server/releases/download/${version}/${name}.tar.gz`
  report(`downloading ${name} (first start)`)
  const folder = mkdtempSync(join(cacheDir, 'nats-server-'))
  const failure = await download(url, { file: join(folder, 'nats-server.tar.gz'), checksum })
  if (failure) return `release download: ${failure}`
  const unpacking = await runProgram('tar', { args: ['-xzf', 'nats-server.tar.gz'], cwd: folder })
  if (unpacking) return `release download: ${unpacking}`
  moveToCache(join(folder, name, 'nats-server'), folder)
  return null
}

async function download(url: string, { file, checksum }: { file: string; checksum: string }): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(120_000) })
    if (!response.ok) return `${url} answered ${response.status}`
    const bytes = Buffer.from(await response.arrayBuffer())
    const actual = createHash('sha256').update(bytes).digest('hex')
    if (actual !== checksum) return `${url} has SHA-256 ${actual}, expected ${checksum}`
    writeFileSync(file, bytes)
    return null
  } catch (error) {
    return `${url}: ${(error as Error).message}`
  }
}

/** Moved into place last, so that an interrupted download is never used. Processes that fetch at the same time use a folder each. */
function moveToCache(file: string, folder: string): void {
  renameSync(file, cached)
  rmSync(folder, { recursive: true, force: true })
}
