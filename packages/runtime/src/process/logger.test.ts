import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const log = JSON.stringify(new URL('logger.ts', import.meta.url).href)

/** Runs a line of code with a logger in a separate process and returns its log lines. */
function runAndReadLog(line: string): Record<string, unknown>[] {
  const code = `const { createLogger } = await import(${log}); const log = createLogger('orders', 'info'); ${line}`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text))
}

test('a line is one JSON object with its event; secrets are redacted, also one level deep', () => {
  const [line] = runAndReadLog(`log.info({ token: 'qt_oat_x', request: { authorization: 'Bearer y', path: '/v1' } }, 'request.completed')`)
  expect(line).toMatchObject({
    service: 'orders',
    level: 'info',
    event: 'request.completed',
    token: '[redacted]',
    request: { authorization: '[redacted]', path: '/v1' },
  })
  expect(JSON.stringify(line)).not.toMatch(/qt_oat_x|Bearer y/)
})

test('an error of an address that is not a URL does not contain the address, which has a password', () => {
  const attempt = `try { new URL('nats://orders:Zq3/secret@nats:4222') } catch (err) { log.error({ err }, 'service.start-failed') }`
  const [line] = runAndReadLog(attempt)
  expect(line).toMatchObject({ err: { type: 'TypeError', message: 'Invalid URL', code: 'ERR_INVALID_URL', stack: expect.any(String) } })
  expect(JSON.stringify(line)).not.toContain('secret')
})

test('lines logged before the process exits are written, also on `process.exit`', () => {
  expect(runAndReadLog(`for (let i = 0; i < 100; i++) log.info({ i }, 'counted'); process.exit(1)`)).toHaveLength(100)
})

test('a line is written while the process continues, also after one that was written before', () => {
  const wait = `await new Promise((resolve) => setTimeout(resolve, 1_000));`
  const code = `log.info('one'); ${wait} log.info('two'); ${wait} process.kill(process.pid, 'SIGKILL')`
  expect(runAndReadLog(code)).toMatchObject([{ event: 'one' }, { event: 'two' }])
})
