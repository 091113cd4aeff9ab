import { migration } from '@quittance/runtime/migration'

/** Null for payments that were begun before. */
export const carryTraces = migration('20261122050000-carry-traces', [`alter table payments add column traceparent text`])
