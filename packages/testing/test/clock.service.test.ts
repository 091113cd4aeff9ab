import { expect, test } from 'vitest'
import { eventually } from '../src/eventually.ts'
import { startTestService } from '../src/harness.ts'
import { ledger } from './ledger.ts'

test('a clock that differs from that of the database is visible', async () => {
  await using service = await startTestService(ledger())
  const readOffset = async () => {
    const page = await (await fetch(`http://127.0.0.1:${service.healthPort()}/metrics`)).text()
    return Number(/^clock_offset_seconds\S* (\S+)$/m.exec(page)?.[1])
  }
  await eventually(async () => expect(Math.abs(await readOffset())).toBeLessThan(5))
  await service.rows(`create function public.clock_timestamp() returns timestamptz language sql
    as $$ select pg_catalog.clock_timestamp() - interval '599 seconds' $$`)
  const [database] = await service.rows<{ name: string }>('select current_database() as name')
  await service.rows(`alter database ${database?.name} set search_path = public, pg_catalog`)
  await service.restart()
  await eventually(async () => expect(Math.round((await readOffset()) / 10)).toBe(60))
  expect((await fetch(`http://127.0.0.1:${service.healthPort()}/readyz`)).status).toBe(200)
})
