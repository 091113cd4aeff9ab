/**
 * `npm test`: every level, one after the other. Arguments go to vitest: `npm test -- services/orders` runs what matches there.
 * A whole run also proves that every error an operation lists was seen in some service test.
 */
import { spawnSync } from 'node:child_process'
import { forgetSeenErrors, unseenErrors } from '@quittance/testing/declared-errors'
import { operations } from '@quittance/contracts/registry'
import { findChromium } from '@quittance/testing/engines/chromium'
import { findNatsServer } from '@quittance/testing/engines/find-nats-server'
import { resolveArguments, resolveProgram } from './run-steps.ts'

const filters = process.argv.slice(2)
const say = (line: string) => console.log(`  ${line}`)
console.log('Looking for the engines the tests need')
process.env['PUPPETEER_EXECUTABLE_PATH'] = await findChromium(say)
await findNatsServer(say)

forgetSeenErrors()
for (const level of ['unit', 'service', 'e2e']) {
  console.log(`\n${level} tests`)
  const { status } = spawnSync(
    resolveProgram('vitest'),
    resolveArguments('vitest', ['run', '--project', level, '--passWithNoTests', ...filters]),
    { stdio: 'inherit' },
  )
  if (status !== 0) process.exit(status ?? 1)
}

const unseen = filters.length > 0 ? [] : unseenErrors(operations)
if (unseen.length > 0) {
  console.error(`\nListed by a contract and seen by no service test:\n  ${unseen.join('\n  ')}`)
  process.exit(1)
}
