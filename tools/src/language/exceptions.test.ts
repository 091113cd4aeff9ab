import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readExceptions } from './exceptions.ts'

function write(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'exceptions-')), 'exceptions.txt')
  writeFileSync(file, text)
  return file
}

test('allows a word in a file or a folder, and reports lines without a use', () => {
  const exceptions = readExceptions(write('# comment\na/b.ts | bell | a product\nc/ | letter | user data\nd.ts | door | gone\n'))
  expect(exceptions.allows('a/b.ts', 'Bell')).toBe(true)
  expect(exceptions.allows('a/x.ts', 'bell')).toBe(false)
  expect(exceptions.allows('c/d/e.ts', 'letter')).toBe(true)
  expect(exceptions.unused()).toEqual(['exception without a use: d.ts | door | gone'])
})

test('rejects a line without a reason', () => {
  expect(() => readExceptions(write('a.ts | bell\n'))).toThrow('needs a path, a word and a reason')
})
