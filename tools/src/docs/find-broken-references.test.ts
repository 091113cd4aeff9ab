import { expect, test } from 'vitest'
import { findBrokenReferences, findUnnamedFiles } from './find-broken-references.ts'

const texts: Record<string, string> = {
  'docs/a.md': '',
  'docs/b.md': '# One title\n\n## `code` and (more)\n',
  'services/orders/src/orders/order.ts': '',
  'services/orders/README.md': '',
}

function check(text: string, file = 'docs/a.md'): string[] {
  return findBrokenReferences(file, { files: Object.keys(texts), read: (each) => (each === file ? text : (texts[each] ?? '')) })
}

test('accepts links, anchors, paths in full or in short, placeholders and addresses', () => {
  expect(check('[b](b.md#one-title) [b](b.md#code-and-more) [x](https://example.com) [up](../services/orders/README.md)')).toEqual([])
  expect(
    check('`services/orders/src/orders/order.ts`, `orders/src/orders/order.ts`, `order.ts`, `services/‹name›/src`, `application/json`'),
  ).toEqual([])
})

test('finds links, anchors and paths that do not exist, with their line', () => {
  expect(check('[c](c.md)\n[b](b.md#two)\n`services/orders/src/none.ts` `orders/src/none.ts` `none.ts`')).toEqual([
    '1: no c.md',
    '2: no b.md#two',
    '3: no file services/orders/src/none.ts',
    '3: no file orders/src/none.ts',
    '3: no file none.ts',
  ])
})

test('passes over code blocks', () => {
  expect(check('```sh\ncat `none.ts`\n```\n')).toEqual([])
})

test('finds source files that the README of the runtime or of sql does not name, except tests', () => {
  const files = ['packages/runtime/src/rpc/rpc-client.ts', 'packages/runtime/src/rpc/rpc-server.ts', 'packages/sql/src/view.test.ts']
  const read = (file: string) => (file === 'packages/runtime/README.md' ? '`rpc-client.ts`' : '')
  expect(findUnnamedFiles({ files, read })).toEqual(['packages/runtime/README.md: does not name packages/runtime/src/rpc/rpc-server.ts'])
})
