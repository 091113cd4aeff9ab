import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../cli/command.ts'
import { createSnapshot, type Contracts, type ContractSnapshot } from './contract-snapshot.ts'

/** A release whose contracts are stored, as long as one of its services or clients may still be in use. */
export interface Release {
  version: string
  /** Commit of its source. */
  commit: string
  contracts: ContractSnapshot
  /** Accepted breaks: the sentence of the check, and the reason. */
  accepted: Readonly<Record<string, string>>
}

/** Loads the contracts of today from the folder of a contracts package. */
export async function loadContracts(folder: string): Promise<ContractSnapshot> {
  const load = async (file: string) => (await import(pathToFileURL(join(folder, 'src', file)).href)) as unknown
  const [{ operations, events }, { durableConsumers }, { headers }] = (await Promise.all(
    ['registry.ts', 'streams.ts', 'headers.ts'].map(load),
  )) as [Contracts, { durableConsumers: Contracts['subscriptions'] }, Contracts]
  return createSnapshot({ operations, events, subscriptions: durableConsumers, headers })
}

/** Returns every stored release of a contracts package, ordered by name, oldest first. */
export function readReleases(folder: string): Release[] {
  const releases = join(folder, 'releases')
  if (!existsSync(releases)) return []
  return readdirSync(releases)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((version) => ({
      version,
      ...read<{ commit: string }>(join(releases, version, 'release.json')),
      contracts: read<ContractSnapshot>(join(releases, version, 'contracts.json')),
      accepted: readIfExists(join(releases, version, 'accepted.json')),
    }))
}

/** Stores the contracts of today as those of a release. A stored release is never overwritten. */
export async function saveRelease(folder: string, { version, commit }: Pick<Release, 'version' | 'commit'>): Promise<string> {
  const place = join(folder, 'releases', version)
  if (existsSync(place)) throw new UsageError(`${version} is already released: ${place} exists, and others may run it.`)
  const contracts = await loadContracts(folder)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'contracts.json'), entryByLine(contracts))
  writeFileSync(join(place, 'release.json'), `${JSON.stringify({ commit })}\n`)
  return place
}

function readIfExists(file: string): Record<string, string> {
  return existsSync(file) ? read(file) : {}
}

function read<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, 'utf8')) as Content
}

/** Writes one line for each named thing, so that its change is one line of a diff. */
function entryByLine(contracts: ContractSnapshot): string {
  const { schemas, ...rest } = contracts
  const groups = Object.entries({ ...rest }).map(([name, entries]) => `${JSON.stringify(name)}: ${lines(entries)}`)
  const named = Object.entries(schemas).map(([io, entries]) => `${JSON.stringify(io)}: ${lines(entries)}`)
  return `{\n${groups.join(',\n')},\n"schemas": {\n${named.join(',\n')}\n}\n}\n`
}

function lines(entries: Record<string, unknown>): string {
  return `{\n${Object.entries(entries)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n}`
}
