import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const stopSignals = JSON.stringify(new URL('../src/supervisor/stop-signals.ts', import.meta.url).href)

test('an unexpected error stops everything in order, and the exit code is 1', () => {
  const code = `
    const { handleStopSignals } = await import(${stopSignals})
    handleStopSignals(async (reason) => { console.log('stopped after ' + reason); return 0 })
    setTimeout(() => {}, 60_000)
    setImmediate(() => { throw new Error('not expected') })`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'stopped after an unexpected error\n' })
  expect(stderr).toContain('Error: not expected')
})
