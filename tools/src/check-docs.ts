/** Checks that every relative link, anchor and back-ticked path in the documentation exists. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrokenReferences } from './docs/find-broken-references.ts'

const root = join(import.meta.dirname, '../..')
const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
})
const files = stdout.split('\n').filter((file) => file && existsSync(join(root, file)))
const checkout = { files, read: (file: string) => readFileSync(join(root, file), 'utf8') }

// Records of runs name what was there when they were made.
const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('bench/history/'))
const problems = documents.flatMap((file) => findBrokenReferences(file, checkout).map((problem) => `${file}:${problem}`))
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0 ? `${documents.length} documents: every link and path exists.` : `${problems.length} links or paths do not exist.`,
)
process.exitCode = problems.length === 0 ? 0 : 1
