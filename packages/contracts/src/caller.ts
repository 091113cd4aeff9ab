import { z } from 'zod'

/**
 * Who is behind a request, as verified by the gateway. Travels in the `caller` header; services believe it because only the
 * gateway may publish on request subjects. What the credential may do is not in it: scopes are checked at the door.
 */
export const Caller = z.discriminatedUnion('kind', [
  /** A credential bound to one organization: it sees that organization and no other. */
  z.object({
    kind: z.literal('organization'),
    organization_id: z.uuid(),
    token_id: z.string(),
    client_id: z.string().nullable(),
    user_id: z.string().nullable(),
  }),
  /** A credential of a person: it sees every organization the person is a member of. */
  z.object({
    kind: z.literal('user'),
    user_id: z.uuid(),
    organization_ids: z.array(z.uuid()),
    token_id: z.string(),
    client_id: z.string().nullable(),
  }),
  /** A customer in the portal: sees what belongs to that one customer. */
  z.object({
    kind: z.literal('customer'),
    organization_id: z.uuid(),
    customer_id: z.uuid(),
    token_id: z.string(),
  }),
  /** The bearer of a registration access token (RFC 7592): may manage that one OAuth client. */
  z.object({ kind: z.literal('client'), client_id: z.string(), token_id: z.string() }),
  /** Nobody: operations that are guarded by a secret in their path. */
  z.object({ kind: z.literal('anonymous') }),
  /** The operator's tools (`quittance …`), connected to NATS with the operator's own credentials. */
  z.object({ kind: z.literal('operator') }),
])
export type Caller = z.infer<typeof Caller>
export type CallerKind = Caller['kind']

/** Organizations whose data the caller may see; empty for anonymous callers and the operator. */
export function organizationsOf(caller: Caller): readonly string[] {
  switch (caller.kind) {
    case 'organization':
    case 'customer':
      return [caller.organization_id]
    case 'user':
      return caller.organization_ids
    default:
      return []
  }
}

/** The one customer whose data the caller may see; null for callers that are not customers. */
export function customerOf(caller: Caller): string | null {
  return caller.kind === 'customer' ? caller.customer_id : null
}
