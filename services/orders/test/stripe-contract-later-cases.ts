import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'
import type { Answer, ListPage } from '../src/providers/provider.ts'
import {
  buildRefund,
  chargeLater,
  chargeMethod,
  ensurePayer,
  pay,
  refundKey,
  requireGot,
  store,
  type ContractWorld,
} from './stripe-contract-cases.ts'

type ContractCase = readonly [name: string, run: (world: ContractWorld) => Promise<void>]

/** Reads a list to its end. */
async function readPages<T>(read: (after: string | null) => Promise<Answer<ListPage<T>>>): Promise<ListPage<T>['objects'][number][]> {
  const objects: ListPage<T>['objects'][number][] = []
  for (let after: string | null = null; ;) {
    const page: ListPage<T> = requireGot(await read(after))
    objects.push(...page.objects)
    if (page.next === null) return objects
    after = page.next
  }
}

/** Cases about stored methods, refunds, events and credentials. */
export const laterCases: ContractCase[] = [
  [
    'stores a method without a charge',
    async (world) => {
      const { payer, answer } = await store(world, 'pm_card_visa')
      const seen = requireGot(answer)
      expect(seen).toMatchObject({ is: 'succeeded', money: null, received: null, charge: null, method: { brand: 'visa' } })
      expect(requireGot(await world.provider.listMethods(payer))).toEqual([seen.is === 'succeeded' && seen.method])
      expect(requireGot(await world.provider.read(seen.theirs, 'setup'))).toEqual(seen)
    },
  ],
  [
    'charges a stored method while the buyer is absent [52]',
    async (world) => {
      const { answer, intent } = await chargeLater(world, 'pm_card_visa')
      expect(requireGot(answer)).toMatchObject({ is: 'succeeded', received: intent.money })
    },
  ],
  [
    'declines a stored method whose bank declines',
    async (world) => {
      const { answer } = await chargeLater(world, 'pm_card_chargeCustomerFail')
      expect(requireGot(answer)).toMatchObject({ is: 'declined', decline: { kind: 'soft' } })
    },
  ],
  [
    'declines a method that was detached, and detaches twice',
    async (world) => {
      const { payer, method } = await chargeLater(world, 'pm_card_visa')
      const answers = [await world.provider.detachMethod(method), await world.provider.detachMethod(method)]
      expect(answers.map(requireGot)).toEqual([{ detached: true }, { detached: true }])
      expect(requireGot(await world.provider.listMethods(payer))).toEqual([])
      const { answer } = await chargeMethod(world, payer, method)
      expect(requireGot(answer)).toMatchObject({ is: 'declined', decline: { kind: 'hard', code: 'method_detached' } })
    },
  ],
  [
    'accepts a token once, and no unknown one [55]',
    async (world) => {
      const token = await world.createToken('pm_card_visa')
      expect(await world.provider.check(token)).toEqual({ got: { usable: true } })
      await pay(world, 'pm_card_visa', { source: { token } })
      expect(await world.provider.check(token)).toEqual({ got: { usable: false } })
      for (const unknown of ['ctoken_unknown', 'ctoken_ok', '', '../balance']) {
        expect(await world.provider.check(unknown)).toEqual({ got: { usable: false } })
      }
    },
  ],
  [
    'changes a customer in place',
    async (world) => {
      const payer = await ensurePayer(world)
      const id = randomUUID()
      const references = { organization: id, customer: id }
      const details = { id, payer, name: null, email: 'new@example.com', country: null, references }
      expect(await world.provider.ensurePayer(details, `payer:${id}:update:1`)).toEqual({ got: { payer } })
    },
  ],
  [
    'refunds a part, once under one key, and not more than was paid',
    async (world) => {
      const payment = await pay(world, 'pm_card_visa')
      const refund = buildRefund(payment, 400n)
      const seen = requireGot(await world.provider.refund(refund, refundKey(refund)))
      expect(seen).toMatchObject({ is: 'succeeded', ours: refund.id, money: refund.money })
      expect(requireGot(await world.provider.refund(refund, refundKey(refund))).theirs).toBe(seen.theirs)
      expect(requireGot(await world.provider.readRefund(seen.theirs))).toEqual(seen)
      const tooMuch = buildRefund(payment, 791n)
      expect(await world.provider.refund(tooMuch, refundKey(tooMuch))).toMatchObject({ misconfigured: expect.any(String) })
      const rest = buildRefund(payment, 790n)
      expect(requireGot(await world.provider.refund(rest, refundKey(rest)))).toMatchObject({ is: 'succeeded' })
    },
  ],
  [
    'reports a refund that the bank has not made as processing',
    async (world) => {
      const payment = await pay(world, 'pm_card_pendingRefund')
      const refund = buildRefund(payment, 400n)
      expect(requireGot(await world.provider.refund(refund, refundKey(refund)))).toMatchObject({ is: 'processing', received: null })
    },
  ],
  [
    'finds a refund by our id, and proves the absence of another',
    async (world) => {
      const payment = await pay(world, 'pm_card_visa')
      const refund = buildRefund(payment, 100n)
      const { theirs } = requireGot(await world.provider.refund(refund, refundKey(refund)))
      expect(requireGot(await world.provider.findRefund(refund))).toMatchObject({ theirs, ours: refund.id })
      expect(await world.provider.findRefund(buildRefund(payment, 100n))).toEqual({ absent: true })
    },
  ],
  [
    'lists payments and refunds page by page, with the ids of both sides',
    async (world) => {
      const since = new Date(Date.now() - 60_000)
      const made = [await pay(world, 'pm_card_visa'), await pay(world, 'pm_card_visa')]
      const refunds = await Promise.all(
        made.map(async (payment) => {
          const refund = buildRefund(payment, 100n)
          return { intent: refund, theirs: requireGot(await world.provider.refund(refund, refundKey(refund))).theirs }
        }),
      )
      const { lists } = world.provider
      if (!lists) throw new Error('The provider has no lists')
      for (const [objects, listed] of [
        [made, await readPages((after) => lists.payments({ since, until: null, limit: 1, after }))],
        [refunds, await readPages((after) => lists.refunds({ since, until: null, limit: 1, after }))],
      ] as const) {
        for (const { intent, theirs } of objects) {
          expect(listed.filter((each) => each.theirs === theirs)).toMatchObject([
            { isOurs: true, seen: { is: 'succeeded', ours: intent.id } },
          ])
        }
      }
    },
  ],
  [
    'proves the absence of objects',
    async ({ provider }) => {
      expect(await provider.read('pi_3none', 'charge')).toEqual({ absent: true })
      expect(await provider.read('seti_1none', 'setup')).toEqual({ absent: true })
      expect(await provider.readRefund('re_3none')).toEqual({ absent: true })
      expect(await provider.readDispute('dp_1none')).toEqual({ absent: true })
    },
  ],
  [
    'lists the events of a payment with the id of its object',
    async (world) => {
      const since = new Date(Date.now() - 60_000)
      const { theirs } = await pay(world, 'pm_card_visa')
      await eventually(async () => {
        const { hints } = requireGot(await world.provider.eventsSince(since))
        expect(hints).toContainEqual(expect.objectContaining({ type: 'payment_intent.succeeded', object: { kind: 'charge', theirs } }))
      })
    },
  ],
  [
    'reads account and mode, and misses no permission',
    async ({ provider }) => {
      expect(await provider.health()).toEqual({ got: { account: expect.stringMatching(/^acct_/), mode: 'test', lacking: [] } })
    },
  ],
  [
    'reports a key that is not valid as misconfigured, without a part of it [33]',
    async ({ withoutKey }) => {
      const answer = await withoutKey.read('pi_3none', 'charge')
      expect(answer).toMatchObject({ misconfigured: 'credentials' })
      expect(JSON.stringify(answer)).not.toMatch(/rk_|sk_/)
    },
  ],
]
