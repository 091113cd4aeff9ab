/**
 * Checks the structure of the source: only `service.ts` imports handlers, only declared code has system access, and the sizes of files stay
 * within `tools/structure-limits.json`. Prints the sizes per workspace. Lower the limits when they have become better.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHandlerImports, readModule } from './structure/find-handler-imports.ts'
import { findSystemAccess } from './structure/find-system-access.ts'
import { checkSizes, measureSizes, type SizeLimits } from './structure/measure-sizes.ts'

const root = join(import.meta.dirname, '../..')
const limits = JSON.parse(readFileSync(join(root, 'tools/structure-limits.json'), 'utf8')) as SizeLimits
// Words are tables: one line per text in each language.
const paths = globSync('{services,packages,tools,bench}{,/*}/src/**/*.ts', { cwd: root }).filter(
  (path) => !/\.test\.ts$|\/migrations\/|\/words\/|\/node_modules\//.test(path),
)
const modules = paths.map((path) => {
  const source = readFileSync(join(root, path), 'utf8')
  return { ...readModule(path, source), lines: source.split('\n').length - 1 }
})
const files = modules.map(({ path, lines, imports }) => ({ path, lines, imports: imports.map((each) => each.path) }))
const listPaths = (...options: string[]) => spawnSync('git', options, { cwd: root, encoding: 'utf8' }).stdout.split('\n')
const added = new Set([
  ...listPaths('diff', '--name-only', '--diff-filter=A', 'HEAD'),
  ...listPaths('ls-files', '--others', '--exclude-standard'),
])

const workspaces = Map.groupBy(files, ({ path }) => path.slice(0, path.indexOf('/src/')))
console.table(Object.fromEntries([...workspaces, ['all', files] as const].map(([name, chosen]) => [name, measureSizes(chosen)])))
const problems = [...findHandlerImports(modules), ...checkSizes(files, { limits, added })]
for (const { path } of modules.filter(({ path }) => path.startsWith('services/'))) {
  problems.push(...findSystemAccess(path, readFileSync(join(root, path), 'utf8')).problems)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
