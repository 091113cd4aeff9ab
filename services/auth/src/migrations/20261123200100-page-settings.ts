import { migration } from '@quittance/runtime/schema'

/** Links to terms, privacy and imprint of a seller; a replica of the previous release neither reads nor changes them. */
export const pageSettings = migration('20261123200100-page-settings', [
  `alter table organizations add column page_settings jsonb not null default '{}' check (jsonb_typeof(page_settings) = 'object')`,
])
