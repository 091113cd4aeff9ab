import { eventually } from './eventually.ts'

/** Repeats a request until it is rejected with 401. No request that started more than `ms` after this call may have been accepted. */
export async function waitUntilRejected(ms: number, send: () => Promise<{ status: number }>): Promise<void> {
  const endedAt = Date.now()
  let lastAcceptedAt = endedAt
  await eventually(async () => {
    const startedAt = Date.now()
    const { status } = await send()
    if (status === 401) return
    lastAcceptedAt = startedAt
    throw new Error(`Returned ${status}, not rejected`)
  })
  if (lastAcceptedAt - endedAt > ms) throw new Error(`Accepted ${lastAcceptedAt - endedAt} ms after it ended`)
}
