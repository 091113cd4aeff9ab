import type { Service } from '@quittance/runtime/service'
import { config } from './config.ts'
import { startAuthClockCheck } from './server/auth-clock.ts'
import { startHttpServer } from './server/server.ts'

/** The API gateway: authentication, rate limiting and routing. Stores nothing durable. */
export const gateway: Service = {
  name: 'gateway',
  readConfig: config,
  components: [startHttpServer, startAuthClockCheck],
}
