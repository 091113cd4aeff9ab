/** Waits for `work` up to the limit, then rejects with `error()`. The work itself continues; the caller must stop it. */
export async function withTimeLimit<T>(work: Promise<T>, limit: { ms: number; error: () => Error }): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(limit.error()), limit.ms)
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}
