import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { expect, test } from 'vitest'
import { actingFor } from './transaction.ts'
import { readFor } from './read.ts'
import type { View } from './view.ts'

const view: View<unknown> = { name: 'thing', organization: 't.organization_id', from: 'things t', columns: 't.id' }
const customer: Caller = { kind: 'customer', organization_id: randomUUID(), customer_id: randomUUID(), token_id: 'x' }

/** Answers nothing and keeps what it was asked. */
function recorder() {
  const asked: { text: string; values: unknown[] }[] = []
  return { asked, execute: async ({ text }: { text: string }, values: unknown[]) => (asked.push({ text, values }), []) }
}

test('a read without any condition of its own is still bound to the caller’s organizations', async () => {
  const { asked, execute } = recorder()
  const organizationId = randomUUID()
  await readFor(actingFor(organizationId), execute).oneOrNull(view, { where: 'true' })
  expect(asked[0]?.text).toContain('t.organization_id = $1')
  expect(asked[0]?.values).toEqual([organizationId])
})

test('a condition with an OR cannot step out of the organization', async () => {
  const { asked, execute } = recorder()
  await readFor(actingFor(randomUUID()), execute).page(view, {
    where: 'true or true',
    orderBy: [{ by: 't.id', descending: false }],
    page: 1,
    limit: 10,
  })
  expect(asked[0]?.text).toContain('= $1 and (true or true)')
})

test('a view that is bound to nothing has to say why', async () => {
  const unbound: View<unknown> = { ...view, name: 'unbound', organization: null }
  await expect(readFor(customer, recorder().execute).oneOrNull(unbound, { where: 'true' })).rejects.toThrow(/does not say why/)
})

test('a customer reads only views that know the customer, bound to that customer', async () => {
  const { asked, execute } = recorder()
  await expect(readFor(customer, execute).oneOrNull(view, { where: 'true' })).rejects.toThrow(/cannot be read by a customer/)
  await readFor(customer, execute).oneOrNull({ ...view, name: 'owned', customer: 't.customer_id' }, { where: 'true' })
  expect(asked[0]?.text).toContain('t.customer_id = $2')
})
