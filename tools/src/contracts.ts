/**
 * `npm run contracts`: whether today's contracts break a release that may still be met. A step of `npm run check`.
 * `npm run contracts -- --release 0.2.0` keeps today's as those of a release, of the commit that is checked out.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareContracts } from './releases/compare-contracts.ts'
import { contractsIn, keepRelease, releasesOf } from './releases/released.ts'

const { release, contracts } = parseArgs({
  options: { release: { type: 'string' }, contracts: { type: 'string', default: join(import.meta.dirname, '../../packages/contracts') } },
}).values

if (release === undefined) await compare()
else await keep(release)

async function compare(): Promise<void> {
  const now = await contractsIn(contracts)
  const verdicts = releasesOf(contracts).map(({ version, contracts: released, accepted }) => {
    const { breaks, told } = compareContracts({ version, released, now })
    const answeredFor = breaks.filter((sentence) => accepted[sentence])
    for (const sentence of told) console.log(`told: ${sentence}`)
    for (const sentence of answeredFor) console.log(`accepted: ${sentence} Because ${accepted[sentence]}`)
    const refused = breaks.filter((sentence) => !accepted[sentence])
    const stale = Object.keys(accepted).filter((sentence) => !breaks.includes(sentence))
    for (const sentence of refused) console.error(sentence)
    for (const sentence of stale) console.error(`accepted.json of ${version} answers for what does not happen: ${sentence}`)
    console.log(`${version}: ${refused.length === 0 ? 'nothing breaks' : `${refused.length} changes break it`}`)
    return refused.length + stale.length === 0
  })
  if (verdicts.every(Boolean)) return
  console.error(
    '\nAdd beside, do not change: a new key, a new operation, a new event. docs/decisions/0030-contract-compatibility.md says how.',
  )
  process.exitCode = 1
}

async function keep(version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`--release is a version like 0.2.0, not "${version}".`)
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  console.log(`kept ${await keepRelease(contracts, { version, commit })}`)
}
