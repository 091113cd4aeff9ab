import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest that new connections may keep a server open that wants to close. */
const longestMs = 2_000

/**
 * Takes in the connections that are made already, for a server that is about to close. A connection exists, and its request may be there,
 * before the process has taken it from the kernel's queue; Node takes one per turn of its loop (libuv #3696), and closing the server
 * resets all that are left. Ends with a turn that brought none: who calls `close` at once resets nobody.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = () => void (accepted += 1)
  server.on('connection', count)
  const until = performance.now() + longestMs
  // A turn that has begun may have looked at the queue already.
  await nextTurn()
  for (let before = -1; accepted > before && performance.now() < until;) {
    before = accepted
    await nextTurn()
  }
  server.off('connection', count)
}
