import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataFolder, prepareReadyFile, sweepTemporaryFolders } from '../src/supervisor/data-folder.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'quittance-data-folder-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const ignore = () => {}

test('locks a folder until it is released, and removes the addresses that a killed supervisor has left', async () => {
  const instance = join(folder, 'instance.json')
  writeFileSync(join(folder, 'supervisor.pid'), '99999999\n12345')
  writeFileSync(instance, '{}')
  const locked = await lockDataFolder(folder, ignore)
  expect(existsSync(instance)).toBe(false)
  writeFileSync(instance, '{}')
  await expect(lockDataFolder(folder, ignore)).rejects.toThrow(`${folder} is in use by process ${process.pid}.`)
  expect(existsSync(instance)).toBe(true)
  locked.release()
  const again = await lockDataFolder(folder, ignore)
  again.release()
})

test('names a data folder that cannot be written, and the option for another', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const expected = `The data folder ${file} cannot be written; choose another with --data: `
  await expect(lockDataFolder(file, ignore)).rejects.toThrow(expected)
})

test('rejects a ready file that cannot be written, and removes that of an earlier run', () => {
  const missing = join(folder, 'missing', 'ready.json')
  expect(() => prepareReadyFile(missing)).toThrow(`--ready-file ${missing} cannot be written: ENOENT`)
  expect(() => prepareReadyFile(folder)).toThrow(`--ready-file ${folder} cannot be written: `)
  const file = join(folder, 'ready.json')
  writeFileSync(file, '{}')
  prepareReadyFile(file)
  expect(existsSync(file)).toBe(false)
})

// Only root can give a folder to another user.
test.runIf(process.getuid?.() === 0)('removes temporary folders of killed supervisors, and none of another user', async () => {
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = folder
  const [own, foreign] = [join(folder, 'quittance-ephemeral-own'), join(folder, 'quittance-ephemeral-foreign')]
  for (const path of [own, foreign]) mkdirSync(path, { mode: 0o700 })
  chownSync(foreign, 65_534, 65_534)
  await sweepTemporaryFolders(0)
  expect([existsSync(own), existsSync(foreign)]).toEqual([false, true])
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
})
