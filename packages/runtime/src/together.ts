let waiting: (() => void)[] = []

/**
 * Publishes at the end of this turn of the event loop, with what others publish in it. The client library writes to its socket at the next
 * microtask, so each message would be a write of its own, and nothing else that a message costs is as dear. Gives when it is handed over,
 * and fails as `publish` does.
 */
export function together(publish: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(publishAll)
    waiting.push(() => {
      try {
        publish()
        resolve()
      } catch (error) {
        reject(error as Error)
      }
    })
  })
}

function publishAll(): void {
  const all = waiting
  waiting = []
  for (const publish of all) publish()
}
