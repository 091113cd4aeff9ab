import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { expect, test } from 'vitest'
import {
  createScope,
  createScopedSql,
  createSystemSql,
  sharedByCheckouts,
  sharedByCustomers,
  type ScopedSql,
  type SystemSql,
} from './sql-runner.ts'

const organization = {
  kind: 'organization',
  organization_id: randomUUID(),
  token_id: 'x',
  client_id: null,
  user_id: null,
} as const satisfies Caller
const customer = { kind: 'customer', organization_id: randomUUID(), customer_id: randomUUID(), token_id: 'x' } as const satisfies Caller
const scoped = 'select from things where id = :id and organization_id = any (:scope_organizations)'

/** Returns no rows and records the values of each statement. */
function recorder() {
  const values: unknown[][] = []
  return { values, execute: async (_: unknown, given: unknown[]) => (values.push(given), []) }
}

const runAs = (caller: Caller, execute = recorder().execute) => createScopedSql(() => createScope(caller), execute)

test('rejects a statement without the organizations of the scope, and runs nothing', async () => {
  const { values, execute } = recorder()
  const sql = runAs(organization, execute)
  for (const text of ['select from things', 'select from things where organization_id = :organization_id'])
    await expect(sql('things.all', text, { organization_id: 'x' })).rejects.toThrow('Statement things.all lacks :scope_organizations')
  expect(values).toEqual([])
})

test('binds the organizations of the caller, whatever values the handler gives', async () => {
  const { values, execute } = recorder()
  await runAs(organization, execute)('things.find', scoped, { id: 'a', scope_organizations: [randomUUID()] })
  expect(values).toEqual([['a', [organization.organization_id]]])
})

test('reads the scope when the statement runs', async () => {
  const { values, execute } = recorder()
  let scope = createScope({ kind: 'anonymous' })
  const sql = createScopedSql(() => scope, execute)
  await sql('things.find', scoped, { id: 'a' })
  scope = createScope(organization)
  await sql('things.find', scoped, { id: 'a' })
  expect(values).toEqual([
    ['a', []],
    ['a', [organization.organization_id]],
  ])
})

test('a customer session runs only statements with its customer, one of a checkout only those with its checkout', async () => {
  const { values, execute } = recorder()
  const ofCustomer = `${scoped} and customer_id = :scope_customer`
  const ofCheckout = `${ofCustomer} and checkout_id = :scope_checkout`
  const bound = { ...customer, checkout_id: randomUUID() } satisfies Caller
  await expect(runAs(customer, execute)('t', scoped, { id: 'a' })).rejects.toThrow(':scope_customer')
  await expect(runAs(bound, execute)('t', ofCustomer, { id: 'a' })).rejects.toThrow(':scope_checkout')
  await runAs(customer, execute)('t', ofCustomer, { id: 'a' })
  await runAs(bound, execute)('t', ofCheckout, { id: 'a' })
  await runAs(bound, execute)('t', `${scoped} and ${sharedByCustomers}`, { id: 'a' })
  await runAs(bound, execute)('t', `${ofCustomer} and ${sharedByCheckouts}`, { id: 'a' })
  await runAs(organization, execute)('t', ofCheckout, { id: 'a' })
  const { organization_id, customer_id, checkout_id } = bound
  expect(values).toEqual([
    ['a', [organization_id], customer_id],
    ['a', [organization_id], customer_id, checkout_id],
    ['a', [organization_id], customer_id, checkout_id],
    ['a', [organization_id], customer_id, checkout_id],
    ['a', [organization.organization_id], null, null],
  ])
})

test('scoped and system access are different types', () => {
  const { execute } = recorder()
  // @ts-expect-error A function that needs system access does not take the access of a handler.
  const system: SystemSql = runAs(organization)
  // @ts-expect-error Nor the reverse: its statements have no scope to bind.
  const bound: ScopedSql = createSystemSql({ execute }, 'a test')
  expect([system, bound]).toHaveLength(2)
})
