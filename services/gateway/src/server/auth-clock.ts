import { startClockCheck } from '@quittance/runtime/clock-check'
import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import { config } from '../config.ts'
import { createUpstream, type Upstream } from '../http/upstream.ts'

const timeoutMs = 1_000
/** The header has whole seconds. */
const resolutionMs = 1_000

/**
 * Compares the clock of the gateway with that of auth. The gateway has no database, and services reject requests of a gateway whose clock is
 * behind: they arrive after their deadline.
 */
export async function startAuthClockCheck({ log }: Pick<ServiceResources, 'log'>): Promise<ServiceComponent> {
  // Separate connections: requests of clients are not delayed, and take turns independent of these.
  const auth = createUpstream(config().AUTH_HTTP_URL, timeoutMs)
  const check = startClockCheck({ readReference: () => readClock(auth), log })
  return {
    name: 'auth-clock',
    async close() {
      await check.close()
      await auth.close()
    },
  }
}

async function readClock(auth: Upstream): Promise<number> {
  const response = await auth.request({ method: 'GET', path: '/livez' })
  if (!response) throw new Error('No replica of auth replied')
  const seconds = Date.parse(String(response.headers['date']))
  if (Number.isNaN(seconds)) throw new Error('The reply of auth has no time')
  return seconds + resolutionMs / 2
}
