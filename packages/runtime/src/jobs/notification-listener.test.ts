import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { Logger } from '../process/logger.ts'
import { listenForNotifications } from './notification-listener.ts'

test('makes one attempt per second while the database closes every connection', async () => {
  const attempts: number[] = []
  const fourth = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    attempts.push(performance.now())
    if (attempts.length === 4) fourth.resolve()
    socket.on('error', () => {}).destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const listener = await listenForNotifications(`postgres://user@127.0.0.1:${port}/none`, { warn: () => {} } as unknown as Logger)
  try {
    await fourth.promise
    // Attempts that double reach the fourth after two seconds, among several at once.
    expect((attempts[3] ?? 0) - (attempts[0] ?? 0)).toBeGreaterThan(2_900)
  } finally {
    await listener.close()
    await new Promise((resolve) => server.close(resolve))
  }
})
