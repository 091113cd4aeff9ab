/** Process: sends requests to a service by its subject, as the gateway does, and times them. */
import { connectNats, type NatsConnection } from '@quittance/runtime/nats-connection'
import { testIdentity } from '@quittance/testing/bus'
import { forward } from '@quittance/runtime/rpc-client'
import type { DirectLoad, LoadResult } from './load.ts'
import { openLoop } from './open-loop.ts'

let connection: NatsConnection | null = null

process.on('message', (load: DirectLoad) => {
  void run(load).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

async function run({ natsUrl, caller, subject, bodies, seconds, perSecond }: DirectLoad): Promise<LoadResult> {
  connection ??= await connectNats({ name: 'gateway', url: natsUrl, identity: testIdentity('gateway') })
  const bus = connection
  const requests = bodies.map((body) => Buffer.from(body))
  return openLoop({
    seconds,
    perSecond,
    async sendRequest() {
      const body = requests[Math.floor(Math.random() * requests.length)] as Buffer
      const reply = await forward(bus, { subject, body, envelope: { caller, timeoutMs: 10_000 } })
      if (reply.status !== null) throw new Error(`${subject} returned ${reply.status}`)
      return reply.body.length
    },
  })
}
