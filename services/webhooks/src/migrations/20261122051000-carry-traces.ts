import { migration } from '@quittance/runtime/schema'

/** Null for events stored before. */
export const carryTraces = migration('20261122051000-carry-traces', [`alter table webhook_events add column traceparent text`])
