import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProcess } from '../src/engines/process-record.ts'
import { eventually } from '../src/eventually.ts'

const guardedProcess = JSON.stringify(new URL('../src/engines/guarded-process.ts', import.meta.url).href)

test('kills a server that does not stop after its supervisor was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-guarded-'))
  const code = `
    const { startManagedProcess } = await import(${guardedProcess})
    const args = ['-c', "trap '' TERM; echo started; while :; do sleep 1; done"]
    const logFile = ${JSON.stringify(join(folder, 'server.log'))}
    const server = startManagedProcess({ command: '/bin/sh', args, logFile, signal: 'TERM', orphanPatienceSeconds: 1 })
    const timer = setInterval(() => {
      if (!server.output().includes('started')) return
      console.log(server.pid)
      clearInterval(timer)
    }, 20)
    setTimeout(() => {}, 60_000)`
  const supervisor = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(supervisor.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  expect(findProcess(pid)).not.toBeNull()
  supervisor.kill('SIGKILL')
  await eventually(() => expect(findProcess(pid)).toBeNull())
  rmSync(folder, { recursive: true })
})
