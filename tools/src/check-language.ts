/**
 * Checks names, comments, messages, documentation and the subjects of new commits against the deny-list (`docs/glossary.md` has the terms).
 * Arguments: folders or files to check, all tracked ones without; `--root FOLDER` checks another checkout.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkCommitSubjects } from './language/commit-subjects.ts'
import { readExceptions } from './language/exceptions.ts'
import { findHashCommentHits, findMarkdownHits, findSourceHits, type Hit } from './language/find-hits.ts'

const { values, positionals } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true })
const repository = join(import.meta.dirname, '../..')
const root = resolve(values.root ?? repository)

/** Contracts of releases and results of runs are records; the deny-list and its exceptions name what they deny. */
const ignored = /^(packages\/contracts\/releases|tools\/src\/language|bench\/history)\/|package-lock\.json$/

function findHits(file: string): Hit[] {
  const source = readFileSync(join(root, file), 'utf8')
  if (/\.(ts|mjs|cjs)$/.test(file)) return findSourceHits(file, source)
  if (file.endsWith('.md')) return findMarkdownHits(source)
  if (/\.(ya?ml|sh|conf)$|Dockerfile|^\.ci\/|\.env\.example$|\.gitignore$/.test(file)) return findHashCommentHits(source)
  return []
}

const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...positionals], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
})
const exceptions = readExceptions(join(repository, 'tools/language-exceptions.txt'))
const files = stdout.split('\n').filter((file) => file && !ignored.test(file) && existsSync(join(root, file)))
const problems = files.flatMap((file) =>
  findHits(file)
    .filter(({ match }) => !exceptions.allows(file, match))
    .map(({ line, kind, match, use }) => `${file}:${line}: ${kind} “${match}”: use ${use}`),
)
problems.push(...checkCommitSubjects(root, exceptions.commits))
if (positionals.length === 0 && !values.root) problems.push(...exceptions.unused())

for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? 'The language check found nothing.' : `${problems.length} to change; docs/glossary.md has the terms.`)
process.exitCode = problems.length === 0 ? 0 : 1
