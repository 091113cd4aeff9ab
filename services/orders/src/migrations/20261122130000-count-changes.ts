import { trackListChanges } from '@quittance/runtime/list-counters'
import { migration } from '@quittance/runtime/schema'
import { countedTables } from './20261121060000-count-lists.ts'

export const countListChanges = migration('20261122130000-count-changes', trackListChanges(countedTables))
