import { migration } from '@quittance/runtime/migration'
import { lighterOutbox } from '@quittance/runtime/outbox'

export const lightenOutbox = migration('20261122090000-lighten-outbox', lighterOutbox)
