/** Programs on which the tests of the bus run: the nats-server that is found, and those in `NATS_SERVERS`, separated by colons. */
import { findNatsServer } from '../src/engines/find-nats-server.ts'

export async function natsServersUnderTest(): Promise<string[]> {
  const named = (process.env['NATS_SERVERS'] ?? '').split(':').filter(Boolean)
  return [...new Set([await findNatsServer(() => {}), ...named])]
}
