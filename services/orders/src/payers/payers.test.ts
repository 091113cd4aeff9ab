import { randomUUID } from 'node:crypto'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { expect, test } from 'vitest'
import { loadPayer } from './payers.ts'

test('a payer whose customer is not one of the organization is looked up twice and no more', async () => {
  const statements: string[] = []
  const sql = (async (name: string) => {
    statements.push(name)
    if (statements.length > 5) throw new Error('Too many statements')
    return []
  }) as unknown as ScopedSql
  const customerId = randomUUID()
  await expect(loadPayer(sql, { customerId, paymentAccountId: null })).rejects.toThrow(`Customer ${customerId} does not exist`)
  expect(statements).toEqual(['payer.find', 'payer.ensure', 'payer.find'])
})
