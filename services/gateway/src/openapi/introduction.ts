import { changes } from '@quittance/contracts/changes'

/** Markdown with the rules of every operation and the dated change history. */
export const introduction = `
Amounts are integers in the minor unit of their currency, times are RFC 3339, and ids are UUIDs of version 4. Every path works with and
without a trailing slash.

## Credentials

Send \`Authorization: Bearer …\` with an organization or personal access token, an OAuth access token, or a customer session for
the customer portal. A token that is bound to a key requires the \`DPoP\` scheme and a proof. Any one of the scopes of an operation is enough.

## Errors

\`{ "error": "ResourceNotFound", "detail": "Not found" }\`; for 422 \`detail\` is a list of \`{ loc, msg, type }\`. With
\`Accept: application/problem+json\` errors are problem details (RFC 9457).

## Organizations

A personal or OAuth access token of a user reaches every organization of the user. \`Polar-Organization\` with the id of one limits a request to it: only
its data is read and changed, and new objects belong to it. Personal access tokens and new organizations are those of the user as before. An organization
without access is 403 \`NotPermitted\`.

## Limits

100 requests per second and IP address; an IPv6 /64 counts as one address. \`RateLimit\` contains the remaining quota.
\`Retry-After\` of a 429 or 503, and of a 404 for an invoice in progress, contains the seconds to wait.

## Idempotency

POST and PATCH accept an \`Idempotency-Key\`: requests with the same key and content are executed once within 24
hours and get the same response. Reads have an \`ETag\` and return 304 for a matching \`If-None-Match\`.

## Lists

\`page\` starts at 1 and \`limit\` is at most 100; \`pagination\` of the response contains \`total_count\` and \`max_page\`. \`sorting\` names a property,
with a leading \`-\` for descending order. Repeat a filter to match any of several values.

## Changes

${changes.map(({ date, summary }) => `- **${date}** ${summary}`).join('\n')}
`.trim()
