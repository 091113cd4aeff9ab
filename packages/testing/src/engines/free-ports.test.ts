import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('processes that choose ports at the same time never receive the same port', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-'))
  const script = `import { freePorts } from '${join(import.meta.dirname, 'free-ports.ts')}'; console.log(JSON.stringify(await freePorts(500)))`
  const choose = async (): Promise<number[]> => {
    const args = ['--input-type=module-typescript', '--eval', script]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR: folder } })
    return JSON.parse(stdout)
  }
  try {
    const ports = (await Promise.all([choose(), choose()])).flat()
    expect(new Set(ports).size).toBe(1_000)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
