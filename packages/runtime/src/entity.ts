import { randomUUID } from 'node:crypto'
import { p } from '@mikro-orm/core'

/** Properties every aggregate has: a v4 id, the two timestamps of the contract and a version for optimistic locking. */
export const aggregate = {
  id: p
    .uuid()
    .primary()
    .onCreate(() => randomUUID()),
  createdAt: p.datetime().onCreate(() => new Date()),
  /** Null until the first change. */
  modifiedAt: p
    .datetime()
    .nullable()
    .onUpdate(() => new Date()),
  version: p.integer().version(),
}
