import { errors } from 'oidc-provider'

/** Node reads at most 16 KiB of header lines, of a request and of a reply. The rest is for cookies and other lines. */
const maxQueryBytes = 12 * 1024

/** Throws `InvalidRequest` for a query with which a redirect would be too long: within this server, or back to the client. */
export function assertShortQuery(query: string): void {
  if (query.length <= maxQueryBytes) return
  throw new errors.InvalidRequest(`the request is longer than ${maxQueryBytes} bytes`)
}
