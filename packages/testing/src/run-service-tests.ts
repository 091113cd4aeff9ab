/**
 * Script `test:service` of a workspace: runs the service tests of the current folder and writes which errors they have seen to
 * `.vitest/seen-errors.txt`. Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { join, relative, resolve } from 'node:path'
import { startSeenErrorsRecord } from './declared-errors.ts'

const root = resolve(import.meta.dirname, '..', '..', '..')
const workspace = process.cwd()
const record = startSeenErrorsRecord(workspace)
const args = ['run', '--root', root, '--project', 'service', `${relative(root, workspace)}/`, ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
  stdio: 'inherit',
  env: { ...process.env, SEEN_ERRORS_FOLDER: record.folder },
})
if (status === 0) record.save()
process.exitCode = status ?? 1
