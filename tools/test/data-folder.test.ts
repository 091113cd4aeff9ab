import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepTemporaryFolders } from '../src/supervisor/data-folder.ts'

// Only root can give a folder to another user.
test.runIf(process.getuid?.() === 0)('removes temporary folders of killed supervisors, and none of another user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-sweep-'))
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = folder
  const [own, foreign] = [join(folder, 'quittance-ephemeral-own'), join(folder, 'quittance-ephemeral-foreign')]
  for (const path of [own, foreign]) mkdirSync(path, { mode: 0o700 })
  chownSync(foreign, 65_534, 65_534)
  await sweepTemporaryFolders(0)
  expect([existsSync(own), existsSync(foreign)]).toEqual([false, true])
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  rmSync(folder, { recursive: true })
})
