import { migration } from '@quittance/runtime/migration'

/** Null for events that were kept before. */
export const carryTraces = migration('20261122051000-carry-traces', [`alter table webhook_events add column traceparent text`])
