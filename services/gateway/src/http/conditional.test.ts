import { expect, test } from 'vitest'
import { entityTag, matches } from './conditional.ts'

const tag = entityTag(Buffer.from('{"a":1}'))

test('the same bytes have the same tag, others another', () => {
  expect(entityTag(Buffer.from('{"a":1}'))).toBe(tag)
  expect(entityTag(Buffer.from('{"a":2}'))).not.toBe(tag)
})

test.each([['*'], [tag], [tag.slice(2)], [`"other", ${tag}`]])('%s is met', (given) => {
  expect(matches(given, tag)).toBe(true)
})

test.each([[''], ['"other"'], [tag.slice(3, -1)], ['W/*']])('%s is not met', (given) => {
  expect(matches(given, tag)).toBe(false)
})
