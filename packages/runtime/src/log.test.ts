import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const log = JSON.stringify(new URL('log.ts', import.meta.url).href)

/** Runs a line with a logger in a process of its own, and gives what it wrote. */
function written(line: string): Record<string, unknown>[] {
  const code = `const { createLogger } = await import(${log}); const log = createLogger('orders', 'info'); ${line}`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text))
}

test('a line is one JSON object with its event, and secrets are hidden one level deep too', () => {
  const [line] = written(`log.info({ token: 'qt_oat_x', request: { authorization: 'Bearer y', path: '/v1' } }, 'request.answered')`)
  expect(line).toMatchObject({
    service: 'orders',
    level: 'info',
    event: 'request.answered',
    token: '[redacted]',
    request: { authorization: '[redacted]', path: '/v1' },
  })
  expect(JSON.stringify(line)).not.toMatch(/qt_oat_x|Bearer y/)
})

test('what was logged before the process ends is written, also when it ends itself', () => {
  expect(written(`for (let i = 0; i < 100; i++) log.info({ i }, 'counted'); process.exit(1)`)).toHaveLength(100)
})
