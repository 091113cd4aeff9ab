/**
 * `npm run contracts`: checks whether today's contracts break a supported release. A step of `npm run check`. `npm run contracts --
 * --release 0.2.0` saves today's contracts as those of a release, with the commit that is checked out.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { readArguments } from './cli/arguments.ts'
import { UsageError } from './cli/command.ts'
import { compareContracts } from './releases/compare-contracts.ts'
import { loadContracts, saveRelease, readReleases } from './releases/release-store.ts'

const defaultFolder = join(import.meta.dirname, '../../packages/contracts')

try {
  const text = { type: 'string' } as const
  const { release, contracts = defaultFolder } = readArguments(process.argv.slice(2), { release: text, contracts: text })
  await (release === undefined ? compare(contracts) : saveCurrent(contracts, release))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

async function compare(contracts: string): Promise<void> {
  const now = await loadContracts(contracts)
  const results = readReleases(contracts).map(({ version, contracts: released, accepted }) => {
    const { breaks, notices } = compareContracts({ version, released, now })
    const acceptedBreaks = breaks.filter((sentence) => accepted[sentence])
    for (const sentence of notices) console.log(`notice: ${sentence}`)
    for (const sentence of acceptedBreaks) console.log(`accepted: ${sentence} Because ${accepted[sentence]}`)
    const unaccepted = breaks.filter((sentence) => !accepted[sentence])
    const stale = Object.keys(accepted).filter((sentence) => !breaks.includes(sentence))
    for (const sentence of unaccepted) console.error(sentence)
    for (const sentence of stale) console.error(`accepted.json of ${version} accepts a break that does not occur: ${sentence}`)
    console.log(`${version}: ${unaccepted.length === 0 ? 'nothing breaks' : `${unaccepted.length} changes break it`}`)
    return unaccepted.length + stale.length === 0
  })
  if (results.every(Boolean)) return
  console.error(
    '\nAdd instead of changing: a new key, a new operation, a new event. docs/decisions/0030-contract-compatibility.md describes how.',
  )
  process.exitCode = 1
}

async function saveCurrent(contracts: string, version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new UsageError(`--release must be a version like 0.2.0, not "${version}".`)
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  console.log(`kept ${await saveRelease(contracts, { version, commit })}`)
}
