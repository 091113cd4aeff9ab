import { expect, test } from 'vitest'
import { findSystemAccess } from './find-system-access.ts'

const file = 'services/orders/src/x/place.ts'
const problems = (source: string) => findSystemAccess(file, source).problems

test('lists declared operations, components, jobs and batch consumers', () => {
  const source = `
    const reason = 'found by a secret'
    export const find = systemQuery(contract, { reason }, async () => null)
    export const end = systemCommand(contract, { reason: 'ends all' }, async () => null)
    export function serve(database) { return createSystemSql(database, 'serves links') }
    export const sweep = job({ name: 'sweep', everyMs: 1, run })
    export const onEvent = batchConsumer(durable, events, { run })
    export const get = query(contract, run)`
  expect(findSystemAccess(file, source)).toEqual({
    problems: [],
    declared: [
      { kind: 'operation', name: 'find', file, reason: 'found by a secret' },
      { kind: 'operation', name: 'end', file, reason: 'ends all' },
      { kind: 'component', name: 'serve', file, reason: 'serves links' },
      { kind: 'job', name: 'sweep', file, reason: null },
      { kind: 'batch consumer', name: 'onEvent', file, reason: null },
    ],
  })
})

test('rejects a reason that is not a text', () => {
  expect(problems('const find = systemQuery(contract, { reason: why() }, run)')).toEqual([`${file}: find states no reason as a text`])
})

test('rejects casts to a type with system access', () => {
  expect(problems('run(context.sql as SystemSql)')).toEqual([`${file}: cast to SystemSql`])
  expect(problems('run(context as unknown as SystemTransaction)')).toEqual([`${file}: cast to SystemTransaction`])
})

test('rejects direct use of the database and entity filters that are switched off', () => {
  expect(problems('await database.execute(statement, [])')).toEqual([`${file}: database.execute`])
  expect(problems(`await em.execute('select 1')`)).toEqual([`${file}: em.execute`])
  expect(problems('await em.getConnection().execute(text)')).toEqual([`${file}: getConnection`])
  expect(problems('await em.findOne(Order, id, { filters: { organization: false } })')).toEqual([`${file}: organization: false`])
  expect(findSystemAccess('services/auth/src/sign-in/attempt-limits.ts', 'use(database.pool)').problems).toEqual([])
})
