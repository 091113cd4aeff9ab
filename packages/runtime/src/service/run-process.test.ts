import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'

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

test('a service whose supervisor was killed ends, although nothing reads its log any more', async () => {
  const start = `() => (setImmediate(() => process.send('started')), { stop: async () => {} })`
  const code = `const { runProcess } = await import(${runProcess}); await runProcess('orders', ${start}); setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await once(child, 'message')
  child.stdout?.destroy()
  child.disconnect()
  expect(await ended).toEqual([0, null])
})
