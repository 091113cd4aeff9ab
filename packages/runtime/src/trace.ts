import { randomBytes } from 'node:crypto'

const valid = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** W3C trace context of one unit of work: goes on with the given one, or begins a new one. */
export function continueTrace(traceparent: string | undefined): string {
  const span = randomBytes(8).toString('hex')
  if (traceparent && valid.test(traceparent)) return `00-${traceparent.slice(3, 35)}-${span}-${traceparent.slice(53)}`
  return `00-${randomBytes(16).toString('hex')}-${span}-00`
}
