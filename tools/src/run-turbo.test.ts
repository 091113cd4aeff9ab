import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { failedTests } from './run-turbo.ts'

const root = mkdtempSync(join(tmpdir(), 'failed-tests-'))
afterEach(() => rmSync(root, { recursive: true }))

it('shows the failures of this run, without what passed and without earlier runs', () => {
  const log = (workspace: string, text: string, seconds: number) => {
    const folder = join(root, workspace, '.turbo')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'turbo-test$colon$service.log')
    writeFileSync(file, text)
    utimesSync(file, seconds, seconds)
  }
  log('services/orders', ' ✓ pays 3ms\n\u001B[31m⎯⎯ Failed Tests 1 ⎯⎯\u001B[39m\n FAIL  refunds\n', 200)
  log('services/mail', ' ✓ a mail named "Failed Tests" 3ms\n', 200)
  log('services/auth', '⎯⎯ Failed Suites 1 ⎯⎯\n FAIL  sign-in\n', 50)
  expect(failedTests(root, 'test:service', 100_000)).toEqual([
    { workspace: 'services/orders', failures: '⎯⎯ Failed Tests 1 ⎯⎯\n FAIL  refunds\n' },
  ])
  expect(failedTests(root, 'test', 0)).toEqual([])
})
