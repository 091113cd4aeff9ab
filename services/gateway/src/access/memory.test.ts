import { expect, test } from 'vitest'
import { createMemory } from './memory.ts'
import { believed, namesIn, namesOf, type Answer, type Revocation } from './verified.ts'

const nobody: Revocation = { token_hash: null, grant_id: null, client_id: null, user_id: null }
const verifiedAlone = { caller: { kind: 'client', client_id: 'c', token_id: 't' }, scopes: new Set<never>(), keyThumbprint: null } as const
const answer = (lifetimeMs = Infinity): Answer => believed(verifiedAlone, { grantId: 'g', expiresAt: Date.now() + lifetimeMs })

const own = new Set(['h', ...namesOf({ grantId: 'g', clientId: 'c', userId: 'u' })])

test.each([{ token_hash: 'h' }, { grant_id: 'g' }, { client_id: 'c' }, { user_id: 'u' }])('%o takes the credential away', (which) => {
  expect(namesIn({ ...nobody, ...which }).filter((name) => own.has(name))).toHaveLength(1)
})

test('another hash, grant, client or person takes nothing away, and neither does nothing', () => {
  const others = [{ token_hash: 'g' }, { grant_id: 'c' }, { client_id: 'u' }, { user_id: 'c' }, {}]
  expect(others.flatMap((other) => namesIn({ ...nobody, ...other })).filter((name) => own.has(name))).toEqual([])
})

test('a deleted customer takes their sessions away, and nobody else’s', () => {
  const session = (customerId: string): Answer =>
    believed(
      {
        caller: { kind: 'customer', organization_id: 'o', customer_id: customerId, token_id: 't' },
        scopes: new Set<never>(),
        keyThumbprint: null,
      },
      { grantId: null, expiresAt: Infinity },
    )
  const names = namesOf({ customerId: 'c' })
  expect(namesOf(session('c').verified?.origin ?? {})).toEqual(names)
  expect([...own, ...namesOf(session('d').verified?.origin ?? {})].filter((name) => names.includes(name))).toEqual([])
})

test('an answer is believed for ten seconds, and never past the expiry of the credential', () => {
  expect(answer().ttlMs).toBe(10_000)
  expect(answer(3_000).ttlMs).toBeLessThanOrEqual(3_000)
  expect(answer(-1).ttlMs).toBe(1)
})

test('a question that fails is asked again', async () => {
  const memory = createMemory()
  await expect(memory.recall('h', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await memory.recall('h', async () => answer())).toMatchObject({ caller: { client_id: 'c' } })
})

test.each([{ token_hash: 'h' }, { grant_id: 'g' }, { client_id: 'c' }])(
  'an answer that is older than %o is not believed',
  async (which) => {
    const memory = createMemory()
    const asked: PromiseWithResolvers<Answer>[] = []
    const ask = () => {
      const question = Promise.withResolvers<Answer>()
      asked.push(question)
      return question.promise
    }
    const found = Promise.all([memory.recall('h', ask), memory.recall('h', ask)])
    memory.forget(namesIn({ ...nobody, ...which }))
    asked[0]?.resolve(answer())
    await expect.poll(() => asked.length).toBe(2)
    asked[1]?.resolve({ verified: null, ttlMs: 1_000 })
    expect(await found).toEqual([null, null])
    expect(await memory.recall('h', ask)).toBeNull()
    expect(asked).toHaveLength(2)
  },
)

test('a revocation of another grant lets the answer stand', async () => {
  const memory = createMemory()
  const question = Promise.withResolvers<Answer>()
  const found = memory.recall('h', () => question.promise)
  memory.forget(namesIn({ ...nobody, grant_id: 'another' }))
  question.resolve(answer())
  expect(await found).not.toBeNull()
})

test('what is remembered is forgotten by grant, and nothing else is', async () => {
  const memory = createMemory()
  const answers = new Map([
    ['h1', answer()],
    ['h2', believed(verifiedAlone, { grantId: 'other', expiresAt: Infinity })],
  ])
  const asked: string[] = []
  const recall = (hash: string) =>
    memory.recall(hash, async () => {
      asked.push(hash)
      return answers.get(hash) as Answer
    })
  await Promise.all([recall('h1'), recall('h2')])
  memory.forget(namesIn({ ...nobody, grant_id: 'g' }))
  await Promise.all([recall('h1'), recall('h2')])
  expect(asked).toEqual(['h1', 'h2', 'h1'])
})
