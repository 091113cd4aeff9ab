import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFile, recordedProcess, stopRecordedProcess } from './process-record.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'quittance-process-record-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** No process has this id: the largest one that Linux assigns is 4194304. */
const noProcess = 99_999_999

test.each([`${noProcess}`, `${noProcess}\n`, `${process.pid}`, `${process.pid}\n`, '', '\n', 'x\ny'])(
  'names no process for the record %j, and stops none',
  async (text) => {
    const file = join(folder, 'cut-off.pid')
    writeFileSync(file, text)
    expect(recordedProcess(file)).toBeNull()
    expect(await stopRecordedProcess(file, { signal: 'SIGTERM', timeoutMs: 1_000 })).toBe(false)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(file, text)
    expect(lockFile(file)).toBeNull()
    expect(recordedProcess(file)).toBe(process.pid)
  },
)

test('a locked file names its holder, and no other file is left', () => {
  const file = join(folder, 'supervisor.pid')
  expect(lockFile(file)).toBeNull()
  const text = readFileSync(file, 'utf8')
  expect(lockFile(file)).toBe(process.pid)
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(readdirSync(folder)).toEqual(['supervisor.pid'])
})

/** Replies to each path with the result of locking it. */
const locker = `
  const { lockFile } = await import(${JSON.stringify(new URL('./process-record.ts', import.meta.url).href)})
  process.stdin.setEncoding('utf8').on('data', (path) => console.log(lockFile(path.trim()) === null))
  console.log('ready')`

test('of several processes that lock a file at once, one does, also if its last holder was killed', async () => {
  const children = [1, 2, 3, 4].map(() =>
    spawn(process.execPath, ['--input-type=module', '--eval', locker], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const replies = children.map(({ stdout }) => createInterface({ input: stdout }))
  const next = () => Promise.all(replies.map(async (lines) => ((await once(lines, 'line')) as [string])[0]))
  await next()
  for (let round = 0; round < 60; round++) {
    const file = join(folder, String(round), 'supervisor.pid')
    mkdirSync(join(folder, String(round)))
    if (round % 2) writeFileSync(file, `${noProcess}\n12345`)
    const all = next()
    for (const { stdin } of children) stdin.write(`${file}\n`)
    expect((await all).filter((isLocked) => isLocked === 'true')).toHaveLength(1)
    expect(children.map(({ pid }) => pid)).toContain(recordedProcess(file))
    expect(readdirSync(join(folder, String(round)))).toEqual(['supervisor.pid'])
  }
  const ended = children.map((child) => once(child, 'exit'))
  for (const { stdin } of children) stdin.end()
  await Promise.all(ended)
})
