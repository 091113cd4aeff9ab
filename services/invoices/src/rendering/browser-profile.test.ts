import { spawnSync } from 'node:child_process'
import { access, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBrowserProfile, removeBrowserProfile } from './browser-profile.ts'

test('removes the directories of ended processes and no others', async () => {
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const left = join(tmpdir(), `quittance-browser-${gone}-test`)
  await mkdir(left)
  const first = await createBrowserProfile()
  const second = await createBrowserProfile()
  await expect(access(left)).rejects.toThrow('ENOENT')
  await access(first)
  await Promise.all([removeBrowserProfile(first), removeBrowserProfile(second)])
  await expect(access(first)).rejects.toThrow('ENOENT')
})
