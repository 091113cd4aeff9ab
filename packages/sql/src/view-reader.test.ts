import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { expect, test } from 'vitest'
import { createViewReader } from './view-reader.ts'
import type { View } from './view.ts'

const view: View<unknown> = { name: 'thing', organization: 't.organization_id', from: 'things t', columns: 't.id' }
const customer = { kind: 'customer', organization_id: randomUUID(), customer_id: randomUUID(), token_id: 'x' } as const satisfies Caller

const organization = (organization_id: string) =>
  ({ kind: 'organization', organization_id, token_id: 'x', client_id: null, user_id: null }) as const satisfies Caller

/** Returns no rows and records the statements. */
function recorder() {
  const queries: { text: string; values: unknown[] }[] = []
  return { queries, execute: async ({ text }: { text: string }, values: unknown[]) => (queries.push({ text, values }), []) }
}

test('adds the organization scope to a read without a condition', async () => {
  const { queries, execute } = recorder()
  const organizationId = randomUUID()
  await createViewReader(organization(organizationId), execute).oneOrNull(view, { where: 'true' })
  expect(queries[0]?.text).toContain('t.organization_id = $1')
  expect(queries[0]?.values).toEqual([organizationId])
})

test('a condition with an OR cannot escape the organization scope', async () => {
  const { queries, execute } = recorder()
  await createViewReader(organization(randomUUID()), execute).page(view, {
    where: 'true or true',
    orderBy: [{ by: 't.id', descending: false }],
    page: 1,
    limit: 10,
  })
  expect(queries[0]?.text).toContain('= $1 and (true or true)')
})

test('a view without an organization column must state a reason', async () => {
  const unbound: View<unknown> = { ...view, name: 'unbound', organization: null }
  await expect(createViewReader(customer, recorder().execute).oneOrNull(unbound, { where: 'true' })).rejects.toThrow(/states no reason/)
})

test('a customer reads only views with a customer column, in that scope', async () => {
  const { queries, execute } = recorder()
  await expect(createViewReader(customer, execute).oneOrNull(view, { where: 'true' })).rejects.toThrow(/cannot be read by a customer/)
  await createViewReader(customer, execute).oneOrNull({ ...view, name: 'owned', customer: 't.customer_id' }, { where: 'true' })
  expect(queries[0]?.text).toContain('t.customer_id = $2')
})

test('a session bound to a checkout reads only views with a checkout condition, in that scope', async () => {
  const { queries, execute } = recorder()
  const bound = { ...customer, checkout_id: randomUUID() } satisfies Caller
  const owned = { ...view, name: 'owned-by-customer', customer: 't.customer_id' }
  const pick = { where: 'true', orderBy: [{ by: 't.id', descending: false }], page: 1, limit: 10 }
  await expect(createViewReader(bound, execute).oneOrNull(owned, pick)).rejects.toThrow(ResourceNotFound)
  await expect(createViewReader(bound, execute).page(owned, pick)).rejects.toThrow(ResourceNotFound)
  expect(queries).toEqual([])
  await createViewReader(bound, execute).oneOrNull({ ...owned, name: 'bound', checkout: 't.checkout_id = :checkout or false' }, pick)
  expect(queries[0]?.text).toContain('t.customer_id = $2 and (t.checkout_id = $3 or false) and (true)')
  expect(queries[0]?.values).toEqual([bound.organization_id, bound.customer_id, bound.checkout_id])
})
