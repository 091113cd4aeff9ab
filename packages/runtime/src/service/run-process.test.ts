import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'

const logger = JSON.stringify(new URL('../process/logger.ts', import.meta.url).href)
const runProcess = JSON.stringify(new URL('run-process.ts', import.meta.url).href)

test('an invalid setting ends the start with one log line that names it', () => {
  const code = `const { runProcess } = await import(${runProcess}); await runProcess('orders', () => { throw new Error('started') })`
  const env = { ...process.env, LOG_LEVEL: 'loud', DATABASE_POOL_MAX: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8', env })
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  const line = JSON.parse(stdout) as { err: { message: string } }
  expect(line).toMatchObject({ service: 'orders', level: 'error', event: 'service.start-failed' })
  expect(line.err.message).toMatch(/^The environment is invalid:\n {2}DATABASE_POOL_MAX: .*\n {2}LOG_LEVEL: .*$/)
})

test.each([
  ['that runs', `() => (setImmediate(() => process.send('started')), { stop: async () => {} })`, 0],
  ['that starts', `() => (log.info({}, 'starting'), process.send('started'), new Promise(() => {}))`, 1],
])('a service %s ends after its supervisor, although nothing reads its log any more', async (...[, start, status]) => {
  const code = `const { runProcess } = await import(${runProcess})
    const { createLogger } = await import(${logger})
    const log = createLogger('orders', 'info')
    setInterval(() => {}, 1_000)
    await runProcess('orders', ${start})`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await once(child, 'message')
  child.stdout?.destroy()
  child.disconnect()
  expect(await ended).toEqual([status, null])
})
