/** A fake service for the supervisor: health on the given port, public address for the gateway, stops like a real one. */
import { createServer } from 'node:http'

const { HEALTH_PORT, PORT } = process.env
const servers = [HEALTH_PORT, PORT]
  .filter(Boolean)
  .map((port) => createServer((_, response) => response.end('ok')).listen(Number(port), '127.0.0.1'))
const stop = () => {
  for (const server of servers) server.close()
  process.disconnect?.()
}
process.once('SIGTERM', stop)
process.once('disconnect', stop)
process.stdout.write(`${JSON.stringify({ level: 'info', event: 'service.started' })}\n`)
