/** Condition of every list: what was never paid for has not started. `s` is the subscription. */
export const hasStarted = { sql: 's.started_at is not null', value: true }

/** Condition of the filter `active`. */
export const isActive = `(s.status in ('trialing', 'active')) = :active`
