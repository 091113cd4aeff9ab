import { STATUS_CODES } from 'node:http'
import type { ValidationIssue } from '@quittance/contracts/errors'

/** Whether the client requests problem details (RFC 9457) instead of `{ error, detail }`. */
export function acceptsProblemDetails(accept: string | undefined): boolean {
  return accept !== undefined && /\bapplication\/problem\+json\b/i.test(accept)
}

/** The only registered problem type in use: draft-ietf-httpapi-ratelimit-headers §5. */
const quotaExceeded = { type: 'https://iana.org/assignments/http-problem-types#quota-exceeded', 'violated-policies': ['ip'] }

interface ErrorBody {
  error?: string
  detail?: string | readonly ValidationIssue[]
}

/** Converts an error to RFC 9457; `errors` contains the problems of single fields. */
export function toProblemDetails(status: number, body: ErrorBody): Record<string, unknown> {
  const { error, detail, ...others } = body
  const issues = Array.isArray(detail) ? (detail as readonly ValidationIssue[]) : null
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: issues ? issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') : detail,
    error,
    ...(issues && { errors: issues }),
    ...others,
    ...(error === 'TooManyRequests' && quotaExceeded),
  }
}
