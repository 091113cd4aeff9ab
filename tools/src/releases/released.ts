import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { snapshotOf, type Contracts, type ContractSnapshot } from './contract-snapshot.ts'

/** A release whose contracts are kept. It is kept as long as one of its services or clients may still be met. */
export interface Release {
  version: string
  /** Commit of its source. */
  commit: string
  contracts: ContractSnapshot
  /** Breaks that somebody has answered for: the sentence of the check, and the reason. */
  accepted: Readonly<Record<string, string>>
}

/** The contracts of today, from the folder of a contracts package. */
export async function contractsIn(folder: string): Promise<ContractSnapshot> {
  const load = async (file: string) => (await import(pathToFileURL(join(folder, 'src', file)).href)) as Contracts
  const [{ operations, events }, { subscriptions }, { headers }] = (await Promise.all(
    ['registry.ts', 'streams.ts', 'headers.ts'].map(load),
  )) as [Contracts, Contracts, Contracts]
  return snapshotOf({ operations, events, subscriptions, headers })
}

/** Every kept release of a contracts package, oldest name first. */
export function releasesOf(folder: string): Release[] {
  const releases = join(folder, 'releases')
  if (!existsSync(releases)) return []
  return readdirSync(releases)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((version) => ({
      version,
      ...read<{ commit: string }>(join(releases, version, 'release.json')),
      contracts: read<ContractSnapshot>(join(releases, version, 'contracts.json')),
      accepted: readIfThere(join(releases, version, 'accepted.json')),
    }))
}

/** Keeps the contracts of today as those of a release. A release is never written over. */
export async function keepRelease(folder: string, { version, commit }: Pick<Release, 'version' | 'commit'>): Promise<string> {
  const place = join(folder, 'releases', version)
  if (existsSync(place)) throw new Error(`${version} is released already: ${place} exists, and others may run it.`)
  const contracts = await contractsIn(folder)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'contracts.json'), entryByLine(contracts))
  writeFileSync(join(place, 'release.json'), `${JSON.stringify({ commit })}\n`)
  return place
}

function readIfThere(file: string): Record<string, string> {
  return existsSync(file) ? read(file) : {}
}

function read<Content>(file: string): Content {
  return JSON.parse(readFileSync(file, 'utf8')) as Content
}

/** One line for each thing that has a name: a change of it is one line of a difference. */
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
