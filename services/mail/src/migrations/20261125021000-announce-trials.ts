import { migration } from '@quittance/runtime/schema'

/** Announcements of the end of a trial are optional too. The release before writes opt-outs of renewals only. */
export const announceTrials = migration('20261125021000-announce-trials', [
  `alter table opt_outs drop constraint opt_outs_kind_check,
    add constraint opt_outs_kind check (kind in ('renewal_ahead', 'trial_ending')) not valid`,
  `alter table opt_outs validate constraint opt_outs_kind`,
])
