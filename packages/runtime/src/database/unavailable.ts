/**
 * Whether an error is a failure of PostgreSQL's connections or resources, including a full disk: retryable, and not an internal error. In
 * platforms with service discovery a stopped server has no name, so a failed name lookup counts too.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return someCause(error, ({ message }, code) => unavailableCode.test(code) || unavailableMessage.test(message))
}

/** Whether PostgreSQL ended a statement or an idle transaction at its time limit: query canceled, lock not available, idle transaction. */
export function isDatabaseTimeout(error: unknown): boolean {
  return someCause(error, (_cause, code) => code === '57014' || code === '55P03' || code === '25P03')
}

/** Whether a statement did not get a lock within its time limit (`lock_timeout`), or was ended to resolve a deadlock. */
export function isLockConflict(error: unknown): boolean {
  return someCause(error, (_cause, code) => code === '55P03' || code === '40P01')
}

const unavailableCode =
  /^(57P0[123]|08...|53...|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const unavailableMessage =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|is not queryable/

/** Whether a repetition may succeed without a change: PostgreSQL was unavailable, or ended a statement at its time limit or in a deadlock. */
export function isTransientDatabaseError(error: unknown): boolean {
  return isDatabaseUnavailable(error) || isDatabaseTimeout(error) || isLockConflict(error)
}

/** MikroORM wraps the error of the driver in `previous`. */
function someCause(error: unknown, matches: (cause: Error, code: string) => boolean): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, previous } = cause as { code?: unknown; previous?: unknown }
    if (matches(cause, typeof code === 'string' ? code : '')) return true
    if (previous && someCause(previous, matches)) return true
  }
  return false
}
