/** A service that owns an outbox and nothing else: the relay of `orders` without its sales. */
import { idempotencyTable, lighterReplies } from '@quittance/runtime/idempotency'
import { migration } from '@quittance/runtime/migration'
import { lighterOutbox, messagingTables, narrowOutbox } from '@quittance/runtime/outbox'
import { runService } from '@quittance/runtime/service'

await runService({
  name: 'orders',
  database: {
    entities: [],
    migrations: [
      migration('20260101000000-teller', [...messagingTables, ...idempotencyTable, ...lighterOutbox, ...narrowOutbox, ...lighterReplies]),
    ],
  },
})
