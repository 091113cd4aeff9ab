/**
 * `npm test`: runs every level, one after the other, as turbo tasks. The result of a workspace whose inputs have not changed comes from the
 * cache. Arguments go to vitest: `npm test -- services/orders` runs what matches there, without the cache. A whole run also proves that every
 * declared error of an operation was returned in some service test, and that no other one was.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { findUndeclaredErrors, findUnseenErrors } from '@quittance/testing/declared-errors'
import { operations } from '@quittance/contracts/registry'
import { findChromium } from '@quittance/testing/engines/chromium'
import { findNatsServer } from '@quittance/testing/engines/find-nats-server'
import { resolveArguments, resolveProgram } from './resolve-program.ts'
import { failedTests, runTurbo } from './run-turbo.ts'

/** Vitest runs several workers per workspace at the levels with engines, so that one workspace fills all cores. */
const levels = [
  { name: 'unit', task: 'test', concurrency: 2 },
  { name: 'service', task: 'test:service', concurrency: 1 },
  { name: 'e2e', task: 'test:e2e', concurrency: 1 },
]

const filters = process.argv.slice(2)
const log = (line: string) => console.log(`  ${line}`)
console.log('Looking for the engines that the tests need')
process.env['PUPPETEER_EXECUTABLE_PATH'] = await findChromium(log)
await findNatsServer(log)

for (const level of levels) {
  console.log(`\n${level.name} tests`)
  const start = Date.now()
  const code = filters.length > 0 ? runVitest(level.name) : await runTasks(level)
  if (code === 0) continue
  for (const { workspace, failures } of failedTests(join(import.meta.dirname, '../..'), level.task, start)) {
    console.error(`\n${workspace}:\n${failures}`)
  }
  process.exit(code)
}

const unseen = filters.length > 0 ? [] : findUnseenErrors(operations)
if (unseen.length > 0) {
  console.error(`\nDeclared by a contract and returned in no service test:\n  ${unseen.join('\n  ')}`)
  process.exit(1)
}
const undeclared = filters.length > 0 ? [] : findUndeclaredErrors(operations)
if (undeclared.length > 0) {
  console.error(`\nReturned in a service test and not declared by the contract:\n  ${undeclared.join('\n  ')}`)
  process.exit(1)
}

function runVitest(project: string): number {
  const args = ['run', '--project', project, '--passWithNoTests', ...filters]
  return spawnSync(resolveProgram('vitest'), resolveArguments('vitest', args), { stdio: 'inherit' }).status ?? 1
}

/** Every workspace runs, so that one failure hides no other. No cache knows the state of a system that runs elsewhere. */
function runTasks({ task, concurrency }: (typeof levels)[number]): Promise<number> {
  const isExternal = Boolean(process.env['E2E_BASE_URL'])
  return runTurbo(['run', task, `--concurrency=${concurrency}`, '--continue=always', ...(isExternal ? ['--force'] : [])])
}
