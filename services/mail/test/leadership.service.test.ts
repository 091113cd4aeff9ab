import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { mail as definition } from '../src/service.ts'
import { startMail } from './start-mail.ts'

test('all consumers of a process hold their locks on one connection', async () => {
  await using mail = await startMail()
  const locks = `select pid from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and datname = current_database() and application_name = 'quittance consumers'`
  const held = await eventually(async () => {
    const rows = await mail.rows<{ pid: number }>(locks)
    expect(rows).toHaveLength(definition.consumers?.length ?? 0)
    return rows
  })
  expect(new Set(held.map(({ pid }) => pid)).size).toBe(1)
})
