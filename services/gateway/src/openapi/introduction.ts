import { changes } from '@quittance/contracts/changes'

/** What holds for every operation, and the dated change history; Markdown. */
export const introduction = `
Amounts are integers in the minor unit of their currency; times are RFC 3339; ids are UUIDs of version 4. Both forms of a path are answered,
with and without a slash at the end.

## Credentials

\`Authorization: Bearer …\` with an organization or personal access token, an OAuth access token, or a customer session for the customer portal.
A token that is bound to a key comes with the \`DPoP\` scheme and a proof. Any one of the scopes of an operation is enough.

## Errors

\`{ "error": "ResourceNotFound", "detail": "Not found" }\`; of a 422 \`detail\` is a list of \`{ loc, msg, type }\`. With
\`Accept: application/problem+json\` they are problem details (RFC 9457).

## Limits

100 requests per second and IP address, an IPv6 /64 counting as one. \`RateLimit\` says what is left, \`Retry-After\` of a 429 or 503 when to come back, also that of a 404 for an invoice that is being made.

## Repeating

POST and PATCH take an \`Idempotency-Key\`: the same request under the same key is done once within 24 hours and answered alike. Reads carry an
\`ETag\` and answer \`If-None-Match\` with 304.

## Lists

\`page\` from 1 and \`limit\` up to 100; \`pagination\` of the answer has \`total_count\` and \`max_page\`. \`sorting\` names a property, \`-\` in front for
descending. Filters are given more than once for any of several values.

## Changes

${changes.map(({ date, summary }) => `- **${date}** ${summary}`).join('\n')}
`.trim()
