import { randomUUID } from 'node:crypto'

const valid = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** W3C trace context of one unit of work: goes on with the given one, or begins a new one. */
export function continueTrace(traceparent: string | undefined): string {
  const span = randomHex().slice(0, 16)
  if (traceparent && valid.test(traceparent)) return `00-${traceparent.slice(3, 35)}-${span}-${traceparent.slice(53)}`
  return `00-${randomHex()}-${span}-00`
}

/** 32 digits. A UUID, because Node draws those from a pool: `randomBytes` asks the system each time. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}
