import { consumerPositionsTable } from '@quittance/runtime/consumer-positions'
import { migration } from '@quittance/runtime/schema'

/** A replica of the previous release does not write positions; the first acknowledgement of this release does. */
export const storeConsumerPositions = migration('20261127230000-store-consumer-positions', consumerPositionsTable)
