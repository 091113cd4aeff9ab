/** Process: asks a service by its subject, as the gateway does, and times it. */
import { connectNats, type NatsConnection } from '@quittance/runtime/nats'
import { forward } from '@quittance/runtime/request'
import type { DirectLoad, LoadResult } from './load.ts'
import { openLoop } from './open-loop.ts'

let connection: NatsConnection | null = null

process.on('message', (load: DirectLoad) => {
  void run(load).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

async function run({ natsUrl, caller, subject, bodies, seconds, perSecond }: DirectLoad): Promise<LoadResult> {
  connection ??= await connectNats({ name: 'gateway', url: natsUrl })
  const bus = connection
  const asked = bodies.map((body) => Buffer.from(body))
  return openLoop({
    seconds,
    perSecond,
    async ask() {
      const body = asked[Math.floor(Math.random() * asked.length)] as Buffer
      const answer = await forward(bus, { subject, body, envelope: { caller, timeoutMs: 10_000 } })
      if (answer.status !== null) throw new Error(`${subject} answered ${answer.status}`)
      return answer.body.length
    },
  })
}
