import { expect, test } from 'vitest'
import { splitName } from './deny-list.ts'
import { findHashCommentHits, findMarkdownHits, findSourceHits } from './find-hits.ts'

const words = (hits: { match: string }[]) => hits.map(({ match }) => match)

test('splits names at case changes and digits', () => {
  expect(splitName('readyAtMs2HTTPServer_x')).toEqual(['ready', 'at', 'ms', 'http', 'server', 'x'])
})

test('finds denied names of functions, variables, parameters, types and members', () => {
  const source = `
    export function tellCustomer(mostItems: number) {}
    const priceOf = () => 1
    interface Verdict { ringBell(): void; lane: string }
    class A { #door = 1 }
    const { a: heardEvent } = x
  `
  expect(words(findSourceHits('a.ts', source))).toEqual([
    'tellCustomer',
    'mostItems',
    'priceOf',
    'Verdict',
    'ringBell',
    'lane',
    'door',
    'heardEvent',
  ])
})

test('accepts standard names, and “Of” where it is no function of ours', () => {
  expect(
    findSourceHits('a.ts', `const most = 1; type PayloadOf<T> = T; const indexOf = () => 1; const partOf = 2; const saved = 1`),
  ).toEqual([])
})

test('finds denied phrases in comments, test titles and messages, with their line, also across a line end', () => {
  const source = `// fine
/**
 * The relay tells
 * nobody. What came
 * of it is unknown.
 */
test('an endpoint that is away is retried', () => {})
throw new Error(\`The \${name} goes on without it\`)
const sql = \`select told from outbox where said = 1\`
`
  expect(findSourceHits('a.ts', source).map(({ line, match }) => `${line} ${match}`)).toEqual([
    '3 tells',
    '4 nobody',
    '4 What came of',
    '7 is away',
    '8 goes on',
  ])
})

test('passes over code, addresses and terms that contain a denied word', () => {
  expect(findSourceHits('a.ts', '// `webhook_lanes`, https://tell.example/door, a dead letter, a letter of credit\n')).toEqual([])
})

test('reads Markdown outside code', () => {
  expect(words(findMarkdownHits('It says so.\n\n```sh\ntell\n```\n\nA `bell`. The [door](house.md).\n'))).toEqual(['says', 'door'])
})

test('reads the comments of configuration files', () => {
  expect(words(findHashCommentHits('told: 1\n# Told by nobody\nx: y # anew\n')).toSorted()).toEqual(['Told', 'anew', 'nobody'])
})
