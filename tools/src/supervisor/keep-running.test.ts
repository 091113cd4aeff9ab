import { expect, test } from 'vitest'
import { keepRunning, type Life } from './keep-running.ts'

/** Processes made of promises: the test decides when each becomes ready and how it ends. */
function lives() {
  const started: (Life & { becomeReady: () => void; end: (how: string) => void })[] = []
  const waiting: (() => void)[] = []
  const start = async (): Promise<Life> => {
    const ready = Promise.withResolvers<boolean>()
    const exited = Promise.withResolvers<string>()
    const end = (how: string) => {
      ready.resolve(false)
      exited.resolve(how)
    }
    const life = { pid: started.length + 1, ready: ready.promise, exited: exited.promise, stop: async () => end('was stopped') }
    started.push({ ...life, becomeReady: () => ready.resolve(true), end })
    waiting.shift()?.()
    return life
  }
  const nth = async (number: number) => {
    while (started.length < number) await new Promise<void>((resolve) => waiting.push(resolve))
    return started[number - 1] as (typeof started)[number]
  }
  return { start, nth }
}

test('a process that ends is started again, and both are said', async () => {
  const { start, nth } = lives()
  const said: string[] = []
  const restarted = Promise.withResolvers<void>()
  const kept = keepRunning({ name: 'orders', start, say: (line) => said.push(line), onRestarted: restarted.resolve })
  const first = await nth(1)
  first.becomeReady()
  await kept.firstReady
  first.end('was ended by SIGKILL')
  const second = await nth(2)
  second.becomeReady()
  await restarted.promise
  expect(said).toEqual(['orders was ended by SIGKILL; starting it again in 0.1 s', 'orders is ready again (process 2)'])
  expect(kept.pid()).toBe(2)
  await kept.stop(0)
})

test('a process that is stopped stays stopped', async () => {
  const { start, nth } = lives()
  const said: string[] = []
  const kept = keepRunning({ name: 'orders', start, say: (line) => said.push(line), onRestarted: () => {} })
  ;(await nth(1)).becomeReady()
  await kept.firstReady
  await kept.stop(0)
  expect(said).toEqual([])
  expect(kept.pid()).toBeNull()
})

test('a process that never becomes ready is given up after three attempts, with its last words', async () => {
  const start = async (): Promise<Life> => ({
    pid: 1,
    ready: Promise.resolve(false),
    exited: Promise.resolve('ended with code 1'),
    stop: async () => {},
    lastWords: () => 'DATABASE_URL: Required',
  })
  const kept = keepRunning({ name: 'orders', start, say: () => {}, onRestarted: () => {} })
  await expect(kept.firstReady).rejects.toThrow('orders does not start: it ended with code 1\nDATABASE_URL: Required')
})
