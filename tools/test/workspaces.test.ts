import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Manifest {
  name: string
  workspaces?: string[]
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const root = join(import.meta.dirname, '../..')
const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(join(root, file), 'utf8')) as Content
const main = readJson<Manifest>('package.json')
const folders = globSync(main.workspaces ?? [], { cwd: root }).filter((folder) => existsSync(join(root, folder, 'package.json')))
const nested = (folder: string) => folders.filter((each) => each.startsWith(`${folder}/`)).map((each) => `${each}/**`)
const { tasks } = readJson<{ tasks: Record<string, { cache?: boolean; inputs?: string[] }> }>('turbo.json')

/** Files of a workspace, without those of a workspace inside it. */
function findFiles(folder: string, pattern: string): string[] {
  return globSync(`${folder}/${pattern}`, { cwd: root, exclude: ['**/node_modules/**', ...nested(folder)] })
}

/** Scripts that a workspace needs for its tests. */
function requiredTestScripts(folder: string): string[] {
  const levels = findFiles(folder, '**/*.test.ts').map((file) => /\.(service|e2e|containers)\.test\.ts$/.exec(file)?.[1])
  return [...new Set(levels)].map((level) => (level ? `test:${level}` : 'test'))
}

test.each(folders)('%s has the scripts that its files need, and its own tsconfig', (folder) => {
  const scripts = Object.keys(readJson<Manifest>(`${folder}/package.json`).scripts ?? {})
  const serves = existsSync(join(root, folder, 'src/main.ts')) ? ['dev', 'start'] : []
  expect(scripts).toEqual(expect.arrayContaining(['check-types', 'lint', ...serves, ...requiredTestScripts(folder)]))
  expect(scripts.filter((name) => name.startsWith('test')).toSorted()).toEqual(requiredTestScripts(folder).toSorted())
  expect(readJson<{ extends: string }>(`${folder}/tsconfig.json`).extends).toMatch(/^(\.\.\/)+tsconfig\.json$/)
})

test.each(folders)('%s declares every workspace that it imports, so that turbo knows the order', (folder) => {
  const { name, dependencies, devDependencies } = readJson<Manifest>(`${folder}/package.json`)
  const sources = findFiles(folder, '**/*.ts').map((file) => readFileSync(join(root, file), 'utf8'))
  const imported = sources.flatMap((text) => [...text.matchAll(/(?:from|import\() ?'(@quittance\/[a-z-]+)/g)].map(([, found]) => found))
  const declared = Object.keys({ ...dependencies, ...devDependencies })
  expect([...new Set(imported)].filter((found) => found && found !== name && !declared.includes(found))).toEqual([])
})

test('tests of the whole system depend on everything that runs it', () => {
  for (const folder of ['e2e', 'e2e/official-client']) {
    const { dependencies, devDependencies } = readJson<Manifest>(`${folder}/package.json`)
    expect(Object.keys({ ...dependencies, ...devDependencies })).toContain('@quittance/tools')
  }
})

test('every script of every workspace is a task', () => {
  const scripts = new Set(folders.flatMap((folder) => Object.keys(readJson<Manifest>(`${folder}/package.json`).scripts ?? {})))
  expect([...scripts].filter((name) => !tasks[name])).toEqual([])
})

test('every check of the repository is a cached task, except the check that reads commits', () => {
  const scripts = Object.keys(main.scripts ?? {}).flatMap((name) => (name.startsWith('check:') ? [`//#${name}`] : []))
  expect(
    Object.keys(tasks)
      .filter((name) => name.startsWith('//#'))
      .toSorted(),
  ).toEqual(scripts.toSorted())
  expect(scripts.filter((name) => tasks[name]?.cache === false)).toEqual(['//#check:language'])
})

test('a test level depends on the sources of its dependencies and on the configuration of vitest', () => {
  for (const level of ['test', 'test:service', 'test:e2e']) {
    expect(tasks[level]).toMatchObject({ dependsOn: ['transit'], inputs: expect.arrayContaining(['$TURBO_ROOT$/vitest.config.ts']) })
  }
  expect(tasks['transit']).toMatchObject({ dependsOn: ['^transit'] })
})
