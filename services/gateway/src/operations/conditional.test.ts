import { expect, test } from 'vitest'
import { entityTag, matchesEntityTag } from './send-reply.ts'

const tag = entityTag(Buffer.from('{"a":1}'))

test('returns the same tag for the same bytes and another tag for others', () => {
  expect(entityTag(Buffer.from('{"a":1}'))).toBe(tag)
  expect(entityTag(Buffer.from('{"a":2}'))).not.toBe(tag)
})

test.each([['*'], [tag], [tag.slice(2)], [`"other", ${tag}`]])('matches %s', (ifNoneMatch) => {
  expect(matchesEntityTag(ifNoneMatch, tag)).toBe(true)
})

test.each([[''], ['"other"'], [tag.slice(3, -1)], ['W/*']])('does not match %s', (ifNoneMatch) => {
  expect(matchesEntityTag(ifNoneMatch, tag)).toBe(false)
})
