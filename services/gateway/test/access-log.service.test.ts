import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { testBusSettings } from '@quittance/testing/bus'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startFakeUpstream } from './fake-upstream.ts'
import { authPorts, baseUrl, startGateway } from './start-gateway.ts'

test('logs routes but no URLs, queries or credentials; rate-limits requests to auth too', async () => {
  await using gateway = await startGateway()
  await using auth = await startFakeUpstream(authPorts[0])
  const { NATS_URL } = gateway.service.config
  const env = {
    ...process.env,
    ...testBusSettings('gateway'),
    NATS_URL,
    PORT: '0',
    HEALTH_PORT: '0',
    LOG_LEVEL: 'info',
    BASE_URL: baseUrl,
    RATE_LIMIT_PER_SECOND: '3',
    STOP_NOTICE_MS: '0',
  }
  const running = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], { env })
  try {
    let log = ''
    running.stdout.on('data', (chunk) => (log += String(chunk)))
    const port = await eventually(() => {
      const line = log.split('\n').find((each) => each.includes('gateway.listening')) ?? '{}'
      return (JSON.parse(line) as { port?: number }).port ?? Promise.reject(new Error(log))
    })
    const get = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer secret-1', cookie: 'secret-2', dpop: 'secret-3' } })
    await get('/oauth2/interaction/secret-4?code=secret-5')
    await get('/v1/oauth2/userinfo?access_token=secret-6')
    await get('/oauth2/%00?secret-7')
    await get('/oauth2/%zz/secret-8')
    await eventually(() => expect(log.split('request.completed')).toHaveLength(5))
    expect(log).toContain('"route":"/oauth2/*"')
    expect(log).toContain('"route":"/v1/oauth2/userinfo"')
    expect(log).not.toContain('secret')
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => get('/oauth2/authorize')))
      const rejected = answers.filter(({ status }) => status === 429)
      expect(rejected.length).toBeGreaterThan(0)
      expect(rejected[0]?.headers.get('retry-after')).toBe('1')
    })
    expect(auth.received.every(({ url }) => !url.includes('%00'))).toBe(true)
  } finally {
    running.kill()
  }
})
