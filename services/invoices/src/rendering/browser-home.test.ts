import { spawnSync } from 'node:child_process'
import { access, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBrowserHome, removeBrowserHome } from './browser-home.ts'

test('a new home removes those of processes that are gone, and no other', async () => {
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const left = join(tmpdir(), `quittance-browser-${gone}-test`)
  await mkdir(left)
  const first = await makeBrowserHome()
  const second = await makeBrowserHome()
  await expect(access(left)).rejects.toThrow('ENOENT')
  await access(first)
  await Promise.all([removeBrowserHome(first), removeBrowserHome(second)])
  await expect(access(first)).rejects.toThrow('ENOENT')
})
