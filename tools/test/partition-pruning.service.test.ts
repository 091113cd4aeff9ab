import { connectTo } from '@quittance/testing/database'
import { expect, inject, test } from 'vitest'
import { createPruningFinder } from '../src/statements/partition-pruning.ts'

const given = `given as materialized (select * from unnest($1::int[], $2::int[]) as g (id, day))`
const change = (condition: string) => `with ${given} update entries e set amount = 0 from given g where e.id = g.id and ${condition}`
const read = `with ${given} select e.id from given g join entries e using (id, day)`

test('finds a statement that locks or changes rows and chooses partitions while it runs', async () => {
  const client = await connectTo(inject('postgresUrl'))
  try {
    // Temporary: they end with the connection.
    await client.query(`create temporary table entries (id int, day int, amount int, primary key (id, day)) partition by range (day)`)
    await client.query(`create temporary table entries_1 partition of entries for values from (1) to (2)`)
    await client.query(`create temporary table entries_2 partition of entries for values from (2) to (3)`)
    const isPruned = await createPruningFinder(client)
    expect(await isPruned(change('e.day = g.day'))).toBe(true)
    expect(await isPruned(change('e.day is not distinct from g.day'))).toBe(false)
    // Chosen before the statement runs.
    expect(await isPruned(change('e.day >= $3::int'))).toBe(false)
    expect(await isPruned(read)).toBe(false)
    expect(await isPruned(`${read} for update of e`)).toBe(true)
  } finally {
    await client.end()
  }
})
