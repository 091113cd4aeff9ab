import type { Service } from '@quittance/runtime/service'
import { startDoor } from './http/server.ts'

/** The one door: who is it, how often, where to. Owns nothing durable. */
export const gateway: Service = {
  name: 'gateway',
  parts: [startDoor],
}
