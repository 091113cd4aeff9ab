import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readExcerpt } from './read-excerpt.ts'

const reading = (...chunks: (string | Buffer)[]) => readExcerpt(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))

test('a short answer is kept as it is, without the NUL that the database refuses', async () => {
  expect(await reading('{"ok"', ':true}\0')).toBe('{"ok":true}')
  expect(await reading()).toBe('')
})

test('what is not text is kept in base64', async () => {
  expect(await reading(Buffer.from([0xff, 0xfe, 0x00]))).toBe('//4A')
})

test('8 KiB are kept, and a character that the cut goes through is dropped', async () => {
  expect(await reading('x'.repeat(20_000))).toHaveLength(8192)
  expect(await reading(`${'x'.repeat(8191)}ż`)).toBe('x'.repeat(8191))
})

test('of a large answer little more than 64 KiB is read', async () => {
  let given = 0
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc((given += 16_384) && 16_384, 'x')
    })(),
    { highWaterMark: 1 },
  )
  await readExcerpt(endless)
  expect(endless.destroyed).toBe(true)
  expect(given).toBeLessThan(128 * 1024)
})
