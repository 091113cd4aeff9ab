import { idempotencyTable } from '@quittance/runtime/idempotency'
import { migration } from '@quittance/runtime/schema'

export const keepIdempotentReplies = migration('20261121000000-keep-idempotent-replies', idempotencyTable)
