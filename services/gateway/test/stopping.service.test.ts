import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { gatewayPort, startGateway } from './start-gateway.ts'

/** Returns the first line of the response, or the error that ended the connection. */
function readStatusLine(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (bytes) => (text += String(bytes)))
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once('close', () => resolve(text.split('\r\n')[0] ?? ''))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  })
}

test.each([
  ['public server', () => gatewayPort, '/v1/changes'],
  ['internal server', (healthPort: number) => healthPort, '/livez'],
])('the %s answers all connections made before it closes', async (_which, port, path) => {
  const gateway = await startGateway()
  const serverPort = port(gateway.service.healthPort())
  const answers = Array.from({ length: 100 }, () => readStatusLine(serverPort, path))
  // The kernel has then completed all connections, and the process has accepted none of them.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  await gateway[Symbol.asyncDispose]()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']))
})
