import { expect, test } from 'vitest'
import { createFairSlots } from './fair-slots.ts'

const take = (slots: ReturnType<typeof createFairSlots>, key: string): number => {
  let count = 0
  while (slots.tryAcquire(key)) count += 1
  return count
}

test('a single key holds four fifths of the slots at most', () => {
  expect(take(createFairSlots(10), 'a')).toBe(8)
  expect(take(createFairSlots(2_000), 'a')).toBe(1_600)
})

test('a key without a slot gets the last free one', () => {
  const slots = createFairSlots(10)
  take(slots, 'a')
  expect(take(slots, 'b')).toBe(1)
  expect(take(slots, 'c')).toBe(1)
  expect(take(slots, 'd')).toBe(0)
})

test.each([1, 2, 3])('with %i slots every key gets at least one', (capacity) => {
  const slots = createFairSlots(capacity)
  expect(slots.tryAcquire('a')).toBe(true)
  slots.release('a')
  expect(slots.tryAcquire('b')).toBe(true)
})

test('waiting keys take turns, and callers of one key keep their order', async () => {
  const slots = createFairSlots(2)
  slots.tryAcquire('x')
  slots.tryAcquire('y')
  const order: string[] = []
  const wait = (key: string, name: string) => slots.acquire(key).then(() => order.push(name))
  void wait('a', 'a1')
  void wait('a', 'a2')
  void wait('a', 'a3')
  void wait('b', 'b1')
  slots.release('x')
  slots.release('y')
  await Promise.resolve()
  expect(order).toEqual(['a1', 'b1'])
  slots.release('a')
  slots.release('b')
  await Promise.resolve()
  slots.release('a')
  await Promise.resolve()
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('a caller does not overtake waiting callers of the same key', async () => {
  const slots = createFairSlots(1)
  slots.tryAcquire('a')
  const waiting = slots.acquire('a')
  expect(slots.tryAcquire('a')).toBe(false)
  slots.release('a')
  await waiting
  expect(slots.tryAcquire('a')).toBe(false)
})

test('drawn sequences never exceed the capacity and lose no waiting caller', async () => {
  let seed = 7
  const draw = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
  const slots = createFairSlots(10)
  const held: string[] = []
  let started = 0
  let finished = 0
  for (let step = 0; step < 20_000; step++) {
    if (draw(2) === 0) {
      const key = `k${draw(4)}`
      started += 1
      void slots.acquire(key).then(() => {
        held.push(key)
        finished += 1
      })
    } else if (held.length > 0) slots.release(held.splice(draw(held.length), 1)[0] as string)
    await Promise.resolve()
    expect(held.length).toBeLessThanOrEqual(10)
  }
  while (held.length > 0) {
    slots.release(held.shift() as string)
    await Promise.resolve()
  }
  expect(finished).toBe(started)
})
