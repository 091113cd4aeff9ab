import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { eventually } from '../src/eventually.ts'
import { startTestService, type TestService } from '../src/harness.ts'
import { entryNoted, ledger } from './ledger.ts'

interface Handled {
  account: string
  position: number
  transaction_id: string
}

test('messages of one organization that arrive together share a transaction, and none with another organization', async () => {
  await using service = await startTestService(ledger({ isCopy: true }))
  const organizations = [randomUUID(), randomUUID()]
  for (const organizationId of organizations) await emitAll(service, { organizationId, count: 50 })
  await eventually(async () => expect(await readHandled(service)).toHaveLength(100))
  const handled = await readHandled(service)
  const transactions = organizations.map((organizationId) => {
    const own = handled.filter(({ account }) => account === organizationId)
    expect(own.map(({ position }) => position)).toEqual(Array.from({ length: 50 }, (_, position) => position))
    return new Set(own.map(({ transaction_id }) => transaction_id))
  })
  const [first, second] = transactions as [Set<string>, Set<string>]
  expect(first.size).toBeLessThan(25)
  expect(second.size).toBeLessThan(25)
  expect([...first].filter((id) => second.has(id))).toEqual([])
})

test('a message that fails in a batch delays only its organization, whose later messages keep their order', async () => {
  let isFailing = true
  const onEntry = (position: number) => {
    if (position === 3 && isFailing) throw new Error('not yet')
  }
  await using service = await startTestService(ledger({ isCopy: true, onEntry }))
  const [failing, other] = [randomUUID(), randomUUID()]
  await emitAll(service, { organizationId: failing, count: 20 })
  await emitAll(service, { organizationId: other, count: 3 })
  await eventually(async () => expect(await readHandled(service)).toHaveLength(6))
  isFailing = false
  await eventually(async () => expect(await readHandled(service)).toHaveLength(23))
  const positions = (await readHandled(service)).filter(({ account }) => account === failing).map(({ position }) => position)
  expect(positions).toEqual(Array.from({ length: 20 }, (_, position) => position))
})

async function emitAll(service: TestService, { organizationId, count }: { organizationId: string; count: number }): Promise<void> {
  const emit = (position: number) => service.emit(entryNoted, { account: organizationId, position }, { organizationId })
  for (let position = 0; position < count; position++) await emit(position)
}

function readHandled(service: TestService): Promise<Handled[]> {
  return service.rows<Handled>('select account, position, xmin::text as transaction_id from handled_entries order by number')
}
