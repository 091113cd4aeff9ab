import { migration } from '@quittance/runtime/schema'
import { dropOutboxTrigger } from '@quittance/runtime/outbox'

export const lightenOutbox = migration('20261122090000-lighten-outbox', dropOutboxTrigger)
