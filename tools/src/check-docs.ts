/**
 * Checks that every relative link, anchor and back-ticked path in the documentation exists, and that the READMEs of packages and the page of
 * the log events are complete.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBrokenReferences, findUnnamedFiles } from './docs/find-broken-references.ts'
import { findUndocumentedEvents } from './docs/find-log-events.ts'

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
const broken = documents.flatMap((file) => findBrokenReferences(file, checkout).map((problem) => `${file}:${problem}`))
const problems = [...broken, ...findUnnamedFiles(checkout), ...findUndocumentedEvents(checkout)]
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0
    ? `${documents.length} documents: every link, path and log event exists.`
    : `${problems.length} links, paths, names or events to correct.`,
)
process.exitCode = problems.length === 0 ? 0 : 1
