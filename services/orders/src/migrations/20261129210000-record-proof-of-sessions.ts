import { migration } from '@quittance/runtime/schema'

/**
 * How the customer of a session was proven: the seller named them, or they signed in with a code. Null where the e-mail address was only typed
 * at a checkout, and in sessions of release 0.1.0, which end within an hour.
 */
export const recordProofOfSessions = migration('20261129210000-record-proof-of-sessions', [
  `alter table customer_sessions
    add column proof text check (proof in ('seller', 'code')),
    add constraint customer_sessions_bound_without_proof check (checkout_id is null or proof is null)`,
])
