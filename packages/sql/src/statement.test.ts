import { expect, test } from 'vitest'
import { bindValues, statement } from './statement.ts'

test('replaces names by positions, reuses repeated names and preserves casts', () => {
  const query = statement('t', 'select :a::text, :b2 where x = :a and y = now()::date')
  expect(query.text).toBe('select $1::text, $2 where x = $1 and y = now()::date')
  expect(bindValues(query, { a: 1, b2: 2 })).toEqual([1, 2])
})

test('throws for a missing value instead of sending null', () => {
  expect(() => bindValues(statement('t', 'select :a'), {})).toThrow(':a')
})
