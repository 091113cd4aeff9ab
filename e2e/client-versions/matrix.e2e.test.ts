import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Dispute } from '@quittance/contracts/disputes'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { beforeAll, describe, expect, test } from 'vitest'
import { clientsFolder, packagesFolder, loadClient, versions, type Version } from './clients.ts'
import { operations, operationsOfPersons } from './operations.ts'
import { operationsOf1 } from './operations-of-1.ts'
import { createWorld, type World } from './world.ts'

/** Operations that fail in some versions; docs/clients.md gives the reasons. */
const registrations = ['oauth2.clients.create', 'oauth2.clients.delete']
const confirmation = ['customerPortal.customers.confirmPaymentMethod']
const differences: Partial<Record<Version, string[]>> = {
  '0.32.11': registrations,
  '0.33.2': registrations,
  '0.34.2': registrations,
  '0.35.4': confirmation,
  '0.38.1': [...confirmation, ...registrations],
  '0.40.3': [...confirmation, ...registrations],
  '0.42.5': [...confirmation, ...registrations],
  '0.46.7': [...confirmation, 'refunds.create', ...registrations],
  '0.49.0': [...confirmation, 'customerPortal.customers.verifyEmailUpdate', 'refunds.create', 'oauth2.clients.create'],
}

/** Types of events that the operations cause. */
const eventTypes = 26

const openApi = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8')) as { paths: Record<string, object> }
const page = join(import.meta.dirname, '../../docs/clients.md')
const rows = new Map<Version, string>()
let world: World

// Installing eleven clients takes longer than their calls, so `npm test` does not run this file.
describe.runIf(scale(false, true))('the unmodified official client', () => {
  beforeAll(async () => {
    await packagesFolder('clients')
    world = await createWorld(await useSharedSystem())
  }, 600_000)

  test.each(versions)('%s accepts the reply of every operation, except where docs/clients.md gives a reason', async (version) => {
    const { polar } = await loadClient(version, world)
    const { polar: person } = await loadClient(version, { ...world, token: world.personToken })
    const isOf1 = version.startsWith('1.')
    const calls = Object.entries(isOf1 ? operationsOf1 : { ...operations, ...operationsOfPersons })
    const known = calls.filter(([name]) => hasMethod(polar, name))
    const failed = await findFailures(known, (call) => call(Object.values(operationsOfPersons).includes(call) ? person : polar, world))
    expect(failed.filter(([name]) => !differences[version]?.includes(name))).toEqual([])
    expect(failed.map(([name]) => name)).toEqual(differences[version] ?? [])
    rows.set(version, `| ${version} | ${known.length} | ${known.length - failed.length} | ${eventTypes} |`)
  })

  test.each(versions.filter((version) => !version.startsWith('1.')))(
    '%s has no further operation that Quittance offers',
    async (version) => {
      const { polar } = await loadClient(version, world)
      const offered = new Set(
        Object.entries(openApi.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => toRoute(method, path))),
      )
      const tried = { ...operations, ...operationsOfPersons }
      const missing = listMethods(polar).filter((name) => {
        const route = readRoute(version, name)
        return route !== null && offered.has(route) && !(name in tried)
      })
      // A dispute comes from a provider; the test below has one.
      expect(missing.filter((name) => name !== 'disputes.get')).toEqual([])
    },
  )

  test.each(['0.42.5', '0.46.7', '0.49.0'])('%s parses a dispute', async (version) => {
    const { disputeFromJSON } = await import(join(clientsFolder, `node_modules/polar-sdk-${version}/dist/esm/models/components/dispute.js`))
    const dispute = { ...(buildContractExample(Dispute) as Dispute), status: 'needs_response' }
    expect(disputeFromJSON(JSON.stringify(dispute))).toMatchObject({ ok: true })
  })

  test('1.0.1 with an organizationId acts on that organization of a person, and on no other', async () => {
    const { polar: person } = await loadClient('1.0.1', { ...world, token: world.personToken })
    const second = await person.organizations.create({ name: 'Second shop', slug: `second-${crypto.randomUUID()}` })
    const { polar: bound } = await loadClient('1.0.1', { ...world, token: world.personToken, organizationId: second.id })
    const prices = [{ amount_type: 'free' }]
    const created = await bound.products.create({ name: 'Print', prices })
    expect(created.organization_id).toBe(second.id)
    expect((await bound.products.list()).items.map(({ id }: { id: string }) => id)).toEqual([created.id])
    await expect(bound.products.update(world.product, { name: 'Taken over' })).rejects.toMatchObject({ statusCode: 404 })
    await expect(person.products.create({ name: 'Print', prices })).rejects.toMatchObject({ statusCode: 422 })
    const { polar: stranger } = await loadClient('1.0.1', { ...world, token: world.personToken, organizationId: crypto.randomUUID() })
    await expect(stranger.products.list()).rejects.toMatchObject({ statusCode: 403 })
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

const toRoute = (method: string, path: string) => `${method.toUpperCase()} ${path.replaceAll(/{[^}]+}/g, '{}').replace(/[/]$/, '')}`

/** Names of all methods of a client. */
function listMethods(resource: object, prefix = ''): string[] {
  const prototype = Object.getPrototypeOf(resource) as object
  return Object.getOwnPropertyNames(prototype).flatMap((key) => {
    if (key === 'constructor' || key.startsWith('_')) return []
    const isResource = Object.getOwnPropertyDescriptor(prototype, key)?.get !== undefined
    return isResource ? listMethods((resource as Record<string, object>)[key] as object, `${prefix}${key}.`) : [`${prefix}${key}`]
  })
}

/** Returns the method and path that a method of a client calls, from its source; null if it calls none. */
function readRoute(version: Version, name: string): string | null {
  const folder = join(clientsFolder, `node_modules/polar-sdk-${version}/dist/esm/funcs`)
  const [first, ...rest] = name.split('.') as [string, ...string[]]
  const file = join(folder, `${first}${rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}.js`)
  if (!existsSync(file)) return null
  const source = readFileSync(file, 'utf8')
  const path = /pathToFunc\(\s*"([^"]+)"/.exec(source)?.[1]
  const method = /method: "([A-Z]+)"/.exec(source)?.[1]
  return path && method ? toRoute(method, path) : null
}

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

/** The last received event of each type: clients reject one whose signature is older than five minutes. */
function eventsByType(): [string, { body: string; headers: Record<string, string> }][] {
  const byType = new Map<string, { body: string; headers: Record<string, string> }>()
  for (const { body, headers } of world.sink.received) {
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
