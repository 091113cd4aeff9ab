import { migration } from '@quittance/runtime/schema'

/**
 * Time from which an endpoint gets events, by the clock of the database, which also writes the times of events. Events have milliseconds.
 * The time of earlier endpoints was that of a process, whose clock may differ. The default also applies to endpoints that a replica of the previous release creates.
 */
export const registerEndpoints = migration('20261123110000-register-endpoints', [
  `alter table webhook_endpoints add column registered_at timestamptz not null default '-infinity'`,
  `update webhook_endpoints set registered_at = created_at - interval '1 minute'`,
  `alter table webhook_endpoints alter column registered_at set default date_trunc('milliseconds', now())`,
])
