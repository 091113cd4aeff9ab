import { migration } from '@quittance/runtime/schema'

/**
 * Network address from which a refresh token was used: a repetition from there moments later is a concurrent request of the client, not
 * theft.
 */
export const knowWhoRefreshed = migration('20261123001700-know-who-refreshed', [`alter table refresh_tokens add column consumed_from text`])
