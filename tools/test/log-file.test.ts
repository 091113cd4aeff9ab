import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cutLog, openLogFile } from '../src/supervisor/log-file.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'quittance-log-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Lines that arrive together are written after the current task. */
const written = () => new Promise((resolve) => setImmediate(resolve))

test.runIf(existsSync('/dev/full'))('drops lines on a full disk, reports it once, and continues when there is space', async () => {
  const path = join(folder, 'orders-1.log')
  symlinkSync('/dev/full', path)
  const reports: string[] = []
  const log = openLogFile(path, { report: (line) => reports.push(line) })
  for (const line of ['a', 'b']) {
    log.write(line)
    await written()
  }
  expect(reports).toEqual([expect.stringMatching(/^orders-1\.log cannot be written, lines are dropped: ENOSPC/)])
  rmSync(path)
  log.write('c')
  log.write('d')
  await written()
  const [empty, dropped, ...rest] = readFileSync(path, 'utf8').split('\n')
  expect([empty, JSON.parse(dropped ?? ''), rest]).toMatchObject(['', { event: 'log.lines-dropped', lines: 2 }, ['c', 'd', '']])
})

test('keeps one earlier log while it is written, so that the size is limited', async () => {
  const path = join(folder, 'orders-1.log')
  const log = openLogFile(path, { report: () => {}, maxBytes: 100 })
  for (let number = 0; number < 100; number += 1) {
    log.write(`line ${number} ${'x'.repeat(20)}`)
    await written()
  }
  const [earlier, current] = [`${path}.1`, path].map((file) => readFileSync(file, 'utf8'))
  expect((earlier as string).length).toBeLessThan(150)
  expect((current as string).length).toBeLessThan(150)
  expect(earlier + (current as string)).toMatch(/line 98 .*\nline 99 /)
})

test('empties the log of a server that keeps it open, and keeps its lines beside it', () => {
  const path = join(folder, 'nats.log')
  writeFileSync(path, '')
  const descriptor = openSync(path, 'a')
  writeSync(descriptor, 'x'.repeat(101))
  cutLog(path, 100)
  writeSync(descriptor, 'y')
  closeSync(descriptor)
  expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['x'.repeat(101), 'y'])
})
