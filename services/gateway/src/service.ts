import type { Service } from '@quittance/runtime/service'
import { startHttpServer } from './server/server.ts'

/** The API gateway: authentication, rate limiting and routing. Stores nothing durable. */
export const gateway: Service = {
  name: 'gateway',
  components: [startHttpServer],
}
