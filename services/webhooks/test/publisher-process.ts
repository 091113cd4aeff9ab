/** A service with an outbox and nothing else: the relay of `orders` without its commands. */
import { idempotencyTable, slimIdempotencyIndexes } from '@quittance/runtime/idempotency'
import { migration } from '@quittance/runtime/schema'
import { dropOutboxTrigger, messagingTables, slimOutboxIndexes } from '@quittance/runtime/outbox'
import { runService } from '@quittance/runtime/service'

await runService({
  name: 'orders',
  database: {
    entities: [],
    migrations: [
      migration('20260101000000-publisher', [
        ...messagingTables,
        ...idempotencyTable,
        ...dropOutboxTrigger,
        ...slimOutboxIndexes,
        ...slimIdempotencyIndexes,
      ]),
    ],
  },
})
