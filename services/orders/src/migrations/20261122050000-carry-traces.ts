import { migration } from '@quittance/runtime/schema'

/** Null for payments that started before this migration. */
export const carryTraces = migration('20261122050000-carry-traces', [`alter table payments add column traceparent text`])
