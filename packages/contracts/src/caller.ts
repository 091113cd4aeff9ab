import { z } from 'zod'

/** How a customer was proven: the seller named them with a credential, or they signed in with a code that was mailed to them. */
export const CustomerProof = z.enum(['seller', 'code'])
export type CustomerProof = z.infer<typeof CustomerProof>

/** Network of the client, for operations with `limitedByNetwork`: an IPv4 address, or the /64 of an IPv6 one. */
const network = z.string().nullish()

/**
 * The principal of a request, as the gateway authenticated it. It is sent in the `caller` header and covered by the signature of the request
 * (`packages/runtime/src/bus/request-signature.ts`). What the credential may do is not in it: scopes are checked at the gateway.
 */
export const Caller = z.discriminatedUnion('kind', [
  /** A credential bound to one organization, with access to that organization only. */
  z.object({
    kind: z.literal('organization'),
    organization_id: z.uuid(),
    token_id: z.string(),
    client_id: z.string().nullable(),
    user_id: z.string().nullable(),
  }),
  /** A credential of a user, with access to every organization the user is a member of. */
  z.object({
    kind: z.literal('user'),
    user_id: z.uuid(),
    organization_ids: z.array(z.uuid()),
    /** The only one of them that the request names in its `Polar-Organization` header; new objects belong to it. Absent without the header. */
    organization_id: z.uuid().optional(),
    token_id: z.string(),
    client_id: z.string().nullable(),
  }),
  /** A customer in the portal, with access to the data of that customer only. */
  z.object({
    kind: z.literal('customer'),
    organization_id: z.uuid(),
    customer_id: z.uuid(),
    token_id: z.string(),
    /** The one checkout the session is bound to. Null, or absent in callers of release 0.1.0: all data of the customer. */
    checkout_id: z.uuid().nullish(),
    /** Null if the e-mail address was only typed at a checkout; absent in callers of release 0.1.0. */
    proof: CustomerProof.nullish(),
    /** Absent in callers of release 0.1.0. */
    network,
  }),
  /** The bearer of a registration access token (RFC 7592): may manage that one OAuth client. */
  z.object({ kind: z.literal('client'), client_id: z.string(), token_id: z.string() }),
  /** No credential: operations guarded by a secret in their path. */
  z.object({
    kind: z.literal('anonymous'),
    /** Absent in callers of release 0.1.0. */
    network,
  }),
  /** The operator's tools (`quittance …`), connected to NATS with the operator's own credentials. */
  z.object({ kind: z.literal('operator') }),
])
export type Caller = z.infer<typeof Caller>
export type CallerKind = Caller['kind']

/** Organizations whose data the caller may see; empty for anonymous callers and the operator. */
export function callerOrganizationIds(caller: Caller): readonly string[] {
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

/** Returns the caller with access to this organization only; null if it has none to it. Callers without any organization stay as they are. */
export function limitToOrganization(caller: Caller, organizationId: string): Caller | null {
  if (caller.kind === 'anonymous' || caller.kind === 'client' || caller.kind === 'operator') return caller
  if (!callerOrganizationIds(caller).includes(organizationId)) return null
  return caller.kind === 'user' ? { ...caller, organization_ids: [organizationId], organization_id: organizationId } : caller
}

/** The tenant that the work of a request counts for: an organization, or a user with all of theirs; null for callers without one. */
export function callerTenant(caller: Caller): string | null {
  switch (caller.kind) {
    case 'organization':
    case 'customer':
      return caller.organization_id
    case 'user':
      return caller.user_id
    default:
      return null
  }
}

/** The one customer whose data the caller may see; null for callers that are not customers. */
export function callerCustomerId(caller: Caller): string | null {
  return caller.kind === 'customer' ? caller.customer_id : null
}

/** Whether the caller is a customer with a session that covers everything of theirs. */
export function isWholeCustomer(caller: Caller): boolean {
  return callerCustomerId(caller) !== null && callerCheckoutId(caller) === null
}

/** How the customer was proven; null for callers that are not customers, and where an e-mail address was only typed. */
export function callerProof(caller: Caller): CustomerProof | null {
  return caller.kind === 'customer' && isWholeCustomer(caller) ? (caller.proof ?? null) : null
}

/** The one checkout whose data the caller may see; null for callers that are not bound to one. */
export function callerCheckoutId(caller: Caller): string | null {
  return caller.kind === 'customer' ? (caller.checkout_id ?? null) : null
}

/** The network of an anonymous client or a customer, which operations with `limitedByNetwork` count; null for other callers, and where it is not known. */
export function callerNetwork(caller: Caller): string | null {
  return (isCounted(caller) && caller.network) || null
}

/** Returns the caller with the network of its client, if operations count it. */
export function withNetwork(caller: Caller, network: string): Caller {
  return isCounted(caller) ? { ...caller, network } : caller
}

/** Whether no seller answers for the attempts of the caller. */
function isCounted(caller: Caller): caller is Extract<Caller, { kind: 'anonymous' | 'customer' }> {
  return caller.kind === 'anonymous' || caller.kind === 'customer'
}
