import { migration } from '@quittance/runtime/schema'

/** When the name servers of a domain were last asked every day, whether or not they answered. The release before neither reads nor writes it. */
export const rotateSenderChecks = migration('20261127121000-rotate-sender-checks', [
  `alter table senders add column check_attempted_at timestamptz`,
])
