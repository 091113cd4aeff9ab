/**
 * Headers of requests and events on NATS. Lower case, because NATS header names are case-sensitive. No other header of a client request is
 * forwarded.
 */
export const headers = {
  /** `Caller` as JSON; set by the gateway and by the operator's tools only, and covered by their signature. */
  caller: 'caller',
  /** NATS user that signed a request. */
  sender: 'sender',
  /** On requests: HMAC-SHA256 in base64url. On events: Ed25519 signature of the batch and proof of membership. */
  signature: 'signature',
  /** W3C trace context. */
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  requestId: 'x-request-id',
  /** Epoch milliseconds after which the result is no longer needed. */
  deadline: 'deadline',
  idempotencyKey: 'idempotency-key',
  /** Organization of an event, for consumers to filter by. */
  organization: 'organization',
  /** Aggregate of an event; events of one aggregate keep their order. */
  aggregate: 'aggregate',
  /** Time of the event in RFC 3339. */
  occurredAt: 'occurred-at',
} as const
