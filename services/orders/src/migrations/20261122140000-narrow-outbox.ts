import { lighterReplies } from '@quittance/runtime/idempotency'
import { migration } from '@quittance/runtime/migration'
import { narrowOutbox } from '@quittance/runtime/outbox'

export const narrowIndexes = migration('20261122140000-narrow-outbox', [...narrowOutbox, ...lighterReplies])
