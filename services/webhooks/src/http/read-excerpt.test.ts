import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readExcerpt } from './post-webhook.ts'

const reading = (...chunks: (string | Buffer)[]) => readExcerpt(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))

test('stores a short response unchanged, without the NUL that PostgreSQL rejects', async () => {
  expect(await reading('{"ok"', ':true}\0')).toBe('{"ok":true}')
  expect(await reading()).toBe('')
})

test('stores a response that is not text in base64', async () => {
  expect(await reading(Buffer.from([0xff, 0xfe, 0x00]))).toBe('//4A')
})

test('stores 8 KiB and drops a character that the cut splits', async () => {
  expect(await reading('x'.repeat(20_000))).toHaveLength(8192)
  expect(await reading(`${'x'.repeat(8191)}ż`)).toBe('x'.repeat(8191))
})

test('reads little more than 64 KiB of a large response', async () => {
  let producedBytes = 0
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc((producedBytes += 16_384) && 16_384, 'x')
    })(),
    { highWaterMark: 1 },
  )
  await readExcerpt(endless)
  expect(endless.destroyed).toBe(true)
  expect(producedBytes).toBeLessThan(128 * 1024)
})
