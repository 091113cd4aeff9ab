/** Source of the fake services of `dev.service.test.ts`, which copies it beside the modules that it imports. */
import { createServer } from 'node:http'

const { reply } = (await import(new URL('reply.ts', import.meta.url).href)) as { reply: string }
const { shared } = (await import(new URL('../../../packages/contracts/src/shared.ts', import.meta.url).href)) as { shared: string }
const { HEALTH_PORT, PORT } = process.env
const servers = [HEALTH_PORT, PORT]
  .filter(Boolean)
  .map((port) => createServer((_, response) => response.end(`${reply} ${shared}`)).listen(Number(port), '127.0.0.1'))
const stop = () => {
  for (const server of servers) server.close()
  process.disconnect?.()
}
process.once('SIGTERM', stop)
process.once('disconnect', stop)
