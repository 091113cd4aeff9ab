/**
 * Process: the servers of customers. `/hang…` never replies; every other path returns 200 immediately. Communicates with its parent
 * process.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

let taken = 0
/** Milliseconds from the commit of an event, whose time is in its body, to its arrival. */
let latencies: number[] = []

const server = createServer(take)

function take(request: IncomingMessage, response: ServerResponse): void {
  if (request.url?.startsWith('/hang')) return void request.resume()
  const isTimed = request.url?.startsWith('/timed') ?? false
  let body = ''
  request.on('data', (chunk: Buffer) => {
    if (isTimed) body += chunk.toString('latin1')
  })
  request.on('end', () => {
    taken += 1
    const sentAt = isTimed ? /"sent_at":(\d+)/.exec(body)?.[1] : undefined
    if (sentAt) latencies.push(Date.now() - Number(sentAt))
    response.writeHead(200, { 'content-length': 0 }).end()
  })
}

process.on('message', (question: 'count' | 'latencies') => {
  if (question === 'count') return void process.send?.(taken)
  process.send?.(latencies)
  latencies = []
})
process.once('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as AddressInfo).port))
