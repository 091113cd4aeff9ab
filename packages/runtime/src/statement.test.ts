import { expect, test } from 'vitest'
import { bind, statement } from './statement.ts'

test('names become positions, a repeated name the same one, and casts stay', () => {
  const query = statement('t', 'select :a::text, :b2 where x = :a and y = now()::date')
  expect(query.text).toBe('select $1::text, $2 where x = $1 and y = now()::date')
  expect(bind(query, { a: 1, b2: 2 })).toEqual([1, 2])
})

test('a value that is missing is found at once, not sent as null', () => {
  expect(() => bind(statement('t', 'select :a'), {})).toThrow(':a')
})
