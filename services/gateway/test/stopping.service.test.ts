import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startGateway } from './start-gateway.ts'

/** First line of what comes back, or the fault that ended the connection. */
function ask(port: number, path: string): Promise<string> {
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
  ['door', () => Number(process.env['PORT']), '/v1/changes'],
  ['internal server', (healthPort: number) => healthPort, '/livez'],
])('the %s answers everybody whose connection was made before it closes', async (_which, port, path) => {
  const gateway = await startGateway()
  const asked = port(gateway.service.healthPort())
  const answers = Array.from({ length: 100 }, () => ask(asked, path))
  // Then the kernel has connected all of them, and the process that is to serve them has not taken in the first.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  await gateway[Symbol.asyncDispose]()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200 OK']))
})
