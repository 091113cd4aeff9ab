/** Waits for the work, but no longer than this; then fails with `error()`. The work itself goes on: ending it is the caller's part. */
export async function withTimeLimit<T>(work: Promise<T>, limit: { ms: number; error: () => Error }): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(limit.error()), limit.ms)
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}
