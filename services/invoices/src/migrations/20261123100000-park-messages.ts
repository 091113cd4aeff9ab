import { parkedMessagesTable } from '@quittance/runtime/parked-messages'
import { migration } from '@quittance/runtime/schema'

/**
 * A replica of the previous release does not retry parked messages; they wait until a replica of this release consumes again.
 */
export const parkMessages = migration('20261123100000-park-messages', parkedMessagesTable)
