/** Headers of requests and events on NATS. Lower case, because NATS compares them letter by letter. Nothing else is copied from clients. */
export const headers = {
  /** `Caller` as JSON; set by the gateway and by the operator's tools only. */
  caller: 'caller',
  /** W3C trace context. */
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  requestId: 'x-request-id',
  /** Epoch milliseconds after which the work is not wanted any more. */
  deadline: 'deadline',
  idempotencyKey: 'idempotency-key',
  /** Organization of an event; the consumer's filter. */
  organization: 'organization',
  /** Aggregate of an event; events of one aggregate keep their order. */
  aggregate: 'aggregate',
  /** RFC 3339 time of the fact. */
  occurredAt: 'occurred-at',
} as const
