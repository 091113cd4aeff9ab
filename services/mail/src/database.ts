import type { DatabaseDefinition } from '@quittance/runtime/database'
import { createMail } from './migrations/20261123170000-create-mail.ts'
import { createSenders } from './migrations/20261124202000-create-senders.ts'
import { createOptOuts } from './migrations/20261124204000-create-opt-outs.ts'
import { announceTrials } from './migrations/20261125021000-announce-trials.ts'
import { rotateSenderChecks } from './migrations/20261127121000-rotate-sender-checks.ts'
import { markUndeliverable } from './migrations/20261124230000-mark-undeliverable.ts'
import { storeConsumerPositions } from './migrations/20261127230000-store-consumer-positions.ts'
import { keepDeletedCustomers } from './migrations/20261130202500-keep-deleted-customers.ts'

/** All rows are written by SQL only. */
export const database: DatabaseDefinition = {
  entities: [],
  migrations: [
    createMail,
    createSenders,
    createOptOuts,
    markUndeliverable,
    announceTrials,
    rotateSenderChecks,
    storeConsumerPositions,
    keepDeletedCustomers,
  ],
}
