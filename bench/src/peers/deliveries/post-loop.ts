/**
 * Process: measures the upper bound, signed POSTs in a loop over warm connections and nothing else. Arguments: URL, seconds, in flight,
 * bytes.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'undici'

const [url = '', seconds = '3', inFlight = '50', bytes = '2000'] = process.argv.slice(2)
const agent = new Agent({ allowH2: false })
const keys = [Buffer.alloc(32, 1), Buffer.alloc(50, 2)]
const body = JSON.stringify({ type: 'order.paid', data: { filling: 'x'.repeat(Number(bytes)) } })

async function post(): Promise<void> {
  const id = randomUUID()
  const timestamp = String(Math.floor(Date.now() / 1000))
  const sign = (key: Buffer) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  const response = await request(url, {
    dispatcher: agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': keys.map(sign).join(' '),
    },
    body,
  })
  await response.body.dump()
}

let posted = 0
async function work(until: number): Promise<void> {
  while (performance.now() < until) {
    await post()
    posted += 1
  }
}

const workers = () => Array.from({ length: Number(inFlight) }, () => 0)
await Promise.all(workers().map(() => work(performance.now() + 1_000)))
posted = 0
const cpu = process.cpuUsage()
const started = performance.now()
await Promise.all(workers().map(() => work(started + Number(seconds) * 1000)))
const used = process.cpuUsage(cpu)
const elapsed = (performance.now() - started) / 1000
process.send?.({ rate: posted / elapsed, cpuUs: (used.user + used.system) / posted })
process.exit(0)
