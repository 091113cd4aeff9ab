import type { DatabaseDefinition } from '@quittance/runtime/database'
import { createMail } from './migrations/20261123170000-create-mail.ts'

/** All rows are written by SQL only. */
export const database: DatabaseDefinition = { entities: [], migrations: [createMail] }
