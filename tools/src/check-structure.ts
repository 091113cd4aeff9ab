/**
 * Checks the structure of the source: only `service.ts` imports handlers, only declared code has system access, and the sizes of files stay within `tools/structure-limits.json`. Prints
 * the sizes per workspace. Lower the limits when they have become better.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHandlerImports, readModule } from './structure/find-handler-imports.ts'
import { findSystemAccess } from './structure/find-system-access.ts'
import { measureSizes, type Sizes } from './structure/measure-sizes.ts'

type Limits = Record<keyof Omit<Sizes, 'files' | 'median'>, number>

const root = join(import.meta.dirname, '../..')
const limits = JSON.parse(readFileSync(join(root, 'tools/structure-limits.json'), 'utf8')) as Limits
// Words are tables: one line per text in each language.
const paths = globSync('{services,packages,tools,bench}{,/*}/src/**/*.ts', { cwd: root }).filter(
  (path) => !/\.test\.ts$|\/migrations\/|\/words\/|\/node_modules\//.test(path),
)
const modules = paths.map((path) => {
  const source = readFileSync(join(root, path), 'utf8')
  return { ...readModule(path, source), lines: source.split('\n').length - 1 }
})
const measure = (chosen: typeof modules) =>
  measureSizes(chosen.map(({ path, lines, imports }) => ({ path, lines, imports: imports.map((each) => each.path) })))

const workspaces = Map.groupBy(modules, ({ path }) => path.slice(0, path.indexOf('/src/')))
console.table(Object.fromEntries([...workspaces, ['all', modules] as const].map(([name, chosen]) => [name, measure(chosen)])))
const sizes = measure(modules)
const problems = findHandlerImports(modules)
for (const { path } of modules.filter(({ path }) => path.startsWith('services/'))) {
  problems.push(...findSystemAccess(path, readFileSync(join(root, path), 'utf8')).problems)
}
for (const [name, limit] of Object.entries(limits) as [keyof Limits, number][]) {
  if (sizes[name] > limit) problems.push(`${name} is ${sizes[name]}; at most ${limit} is allowed (tools/structure-limits.json)`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
