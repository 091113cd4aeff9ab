import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { beforeAll, describe, expect, test } from 'vitest'
import { clientsFolder, installPackages, loadClient, versions, type Version } from './clients.ts'
import { operations } from './operations.ts'
import { operationsOf1 } from './operations-of-1.ts'
import { createWorld, type World } from './world.ts'

/** Operations that fail in some versions; docs/clients.md gives the reasons. */
const differences: Partial<Record<Version, string[]>> = {
  '0.46.7': ['refunds.create'],
  '0.49.0': ['refunds.create'],
}

/** Types of events that the operations cause. */
const eventTypes = 24

const page = join(import.meta.dirname, '../../docs/clients.md')
const rows = new Map<Version, string>()
let world: World

// Installing eleven clients takes longer than their calls, so `npm test` does not run this file.
describe.runIf(scale(false, true))('the unmodified official client', () => {
  beforeAll(async () => {
    installPackages('clients')
    world = await createWorld(await useSharedSystem())
  }, 600_000)

  test.each(versions)('%s accepts the reply of every operation, except where docs/clients.md gives a reason', async (version) => {
    const { polar } = await loadClient(version, world)
    const calls = Object.entries(version.startsWith('1.') ? operationsOf1 : operations)
    const known = calls.filter(([name]) => hasMethod(polar, name))
    const failed = await findFailures(known, (call) => call(polar, world))
    expect(failed.filter(([name]) => !differences[version]?.includes(name))).toEqual([])
    expect(failed.map(([name]) => name)).toEqual(differences[version] ?? [])
    rows.set(version, `| ${version} | ${known.length} | ${known.length - failed.length} | ${eventTypes} |`)
  })

  // The operations above cause the events.
  test.each(versions)('%s verifies and parses every event', async (version) => {
    const { validateEvent } = await loadClient(version, world)
    await eventually(() => expect(eventsByType()).toHaveLength(eventTypes))
    const failed = await findFailures(eventsByType(), ({ body, headers }) => validateEvent(body, headers, world.secret))
    expect(failed).toEqual([])
  })

  test('every snippet of docs/clients.md runs', async () => {
    const snippets = [...readFileSync(page, 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code as string)
    expect(snippets).toHaveLength(3)
    for (const [index, code] of snippets.entries()) {
      // The file is beside the installed clients, so that their names resolve.
      const file = join(clientsFolder, `snippet-${index}.mjs`)
      const version = code.includes('createPolar') ? '1.0.1' : '0.49.0'
      writeFileSync(file, code.replace('@polar-sh/sdk', `polar-sdk-${version}`))
      try {
        const env = { ...process.env, ACCESS_TOKEN: world.token, BASE_URL: world.baseUrl }
        await promisify(execFile)(process.execPath, [file], { env })
      } finally {
        rmSync(file)
      }
    }
  })

  test('docs/clients.md shows these figures', () => {
    const text = readFileSync(page, 'utf8')
    const [, before, shown, after] = /^(.*<!-- versions -->)(.*)(<!-- end of versions -->.*)$/s.exec(text) as unknown as string[]
    const table = renderTable([...rows.values()])
    if (process.env['UPDATE_DOCS']) writeFileSync(page, `${before}${table}${after}`)
    else expect(withoutAlignment(shown ?? '')).toBe(withoutAlignment(table))
  })
})

function hasMethod(polar: object, name: string): boolean {
  const method = name.split('.').reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], polar)
  return typeof method === 'function'
}

/** Returns the entries for which the attempt fails, with the error. */
async function findFailures<T>(entries: readonly [string, T][], attempt: (value: T) => unknown): Promise<[string, string][]> {
  const failures: [string, string][] = []
  for (const [name, value] of entries) {
    try {
      await attempt(value)
    } catch (error) {
      failures.push([name, String(error)])
    }
  }
  return failures
}

/** The first received event of each type. */
function eventsByType(): [string, { body: string; headers: Record<string, string> }][] {
  const byType = new Map<string, { body: string; headers: Record<string, string> }>()
  for (const { body, headers } of world.sink.received.toReversed()) {
    byType.set(JSON.parse(body).type, { body, headers: headers as Record<string, string> })
  }
  return [...byType]
}

function renderTable(lines: readonly string[]): string {
  const head = ['| version | operations it has here | succeed | event types accepted |', '| --- | ---: | ---: | ---: |']
  return `\n\n${[...head, ...lines].join('\n')}\n\n`
}

/** The formatter of the repository aligns the columns of tables. */
function withoutAlignment(table: string): string {
  return table.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-').trim()
}
