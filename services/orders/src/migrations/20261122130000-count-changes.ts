import { countChanges } from '@quittance/runtime/list-counts'
import { migration } from '@quittance/runtime/migration'
import { countedTables } from './20261121060000-count-lists.ts'

export const countListChanges = migration('20261122130000-count-changes', countChanges(countedTables))
