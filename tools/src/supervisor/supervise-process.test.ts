import { expect, test } from 'vitest'
import { superviseProcess, type ProcessRun } from './supervise-process.ts'

/** Fake processes of promises: the test decides when each becomes ready and how it ends. */
function createFakeProcesses() {
  const started: (ProcessRun & { becomeReady: () => void; end: (how: string) => void })[] = []
  const waiting: (() => void)[] = []
  const start = async (): Promise<ProcessRun> => {
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

test('restarts a process that ends, and reports both', async () => {
  const { start, nth } = createFakeProcesses()
  const messages: string[] = []
  const restarted = Promise.withResolvers<void>()
  const kept = superviseProcess({ name: 'orders', start, report: (line) => messages.push(line), onRestarted: restarted.resolve })
  const first = await nth(1)
  first.becomeReady()
  await kept.firstReady
  first.end('was ended by SIGKILL')
  const second = await nth(2)
  second.becomeReady()
  await restarted.promise
  expect(messages).toEqual(['orders was ended by SIGKILL; starting it again in 0.1 s', 'orders is ready again (process 2)'])
  expect(kept.pid()).toBe(2)
  await kept.stop(0)
})

test('keeps a process that is ready again if its restart cannot be announced', async () => {
  const { start, nth } = createFakeProcesses()
  const reported = Promise.withResolvers<string>()
  const report = (line: string) => void (line.includes('ENOSPC') && reported.resolve(line))
  const onRestarted = () => {
    throw new Error('ENOSPC: no space left on device')
  }
  const kept = superviseProcess({ name: 'orders', start, report, onRestarted })
  ;(await nth(1)).becomeReady()
  await kept.firstReady
  const restarted = kept.restart(0)
  ;(await nth(2)).becomeReady()
  await restarted
  expect(kept.pid()).toBe(2)
  expect(await reported.promise).toBe('orders: ENOSPC: no space left on device')
  await kept.stop(0)
})

test('does not restart a stopped process', async () => {
  const { start, nth } = createFakeProcesses()
  const messages: string[] = []
  const kept = superviseProcess({ name: 'orders', start, report: (line) => messages.push(line), onRestarted: () => {} })
  ;(await nth(1)).becomeReady()
  await kept.firstReady
  await kept.stop(0)
  expect(messages).toEqual([])
  expect(kept.pid()).toBeNull()
})

test('gives up after three attempts if a process never becomes ready, with its last output', async () => {
  const start = async (): Promise<ProcessRun> => ({
    pid: 1,
    ready: Promise.resolve(false),
    exited: Promise.resolve('ended with code 1'),
    stop: async () => {},
    lastWords: () => 'DATABASE_URL: Required',
  })
  const kept = superviseProcess({ name: 'orders', start, report: () => {}, onRestarted: () => {} })
  await expect(kept.firstReady).rejects.toThrow('orders does not start: it ended with code 1\nDATABASE_URL: Required')
})

test('restarts a process on request without a delay, and resolves when the next run is ready', async () => {
  const { start, nth } = createFakeProcesses()
  const messages: string[] = []
  const kept = superviseProcess({ name: 'orders', start, report: (line) => messages.push(line), onRestarted: () => {} })
  ;(await nth(1)).becomeReady()
  await kept.firstReady
  const restarted = kept.restart(0)
  ;(await nth(2)).becomeReady()
  await restarted
  expect(messages).toEqual(['orders is ready again (process 2)'])
  expect(kept.pid()).toBe(2)
  await kept.stop(0)
})

test('reports a requested run that ends before it is ready, and restarts on the next request', async () => {
  const { start, nth } = createFakeProcesses()
  const messages: string[] = []
  const kept = superviseProcess({ name: 'orders', start, report: (line) => messages.push(line), onRestarted: () => {} })
  ;(await nth(1)).becomeReady()
  await kept.firstReady
  const failing = kept.restart(0)
  ;(await nth(2)).end('ended with code 1')
  await failing
  expect(messages[0]).toMatch(/^orders does not start:/)
  const corrected = kept.restart(0)
  ;(await nth(3)).becomeReady()
  await corrected
  expect(kept.pid()).toBe(3)
  await kept.stop(0)
})
