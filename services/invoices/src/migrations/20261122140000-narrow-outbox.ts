import { slimIdempotencyIndexes } from '@quittance/runtime/idempotency'
import { migration } from '@quittance/runtime/schema'
import { slimOutboxIndexes } from '@quittance/runtime/outbox'

export const narrowIndexes = migration('20261122140000-narrow-outbox', [...slimOutboxIndexes, ...slimIdempotencyIndexes])
