import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseBusSeeds, parsePublicBusKeys, publicBusKey } from '@quittance/runtime/bus/identity'
import { addMissing } from '../src/secrets/add-missing.ts'
import { generateMissing, secretList } from '../src/secrets/secret-list.ts'
import { createBusKeys } from '../src/supervisor/bus-keys.ts'
import { readSecrets } from '../src/supervisor/secrets.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'quittance-secrets-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const secrets = (...args: string[]) =>
  spawnSync(process.execPath, ['tools/src/quittance.ts', 'secrets', ...args], { cwd: root, encoding: 'utf8' })

test('generates secrets into a file of its owner only, and never overwrites an existing one', () => {
  const file = join(folder, '.env')
  expect(secrets('--out', file).status).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file, 'utf8')
  expect(secrets('--out', file)).toMatchObject({ status: 2, stderr: expect.stringContaining('not overwritten') as string })
  expect(readFileSync(file, 'utf8')).toBe(before)
  const lines = before.split('\n').filter((line) => /^[A-Z]/.test(line))
  expect(lines.map((line) => line.split('=')[0])).toEqual(secretList.map(({ name }) => name))
  expect(new Set(lines.map((line) => line.slice(line.indexOf('=') + 1))).size).toBe(secretList.length)
})

test('adds the secrets and public keys that an earlier file lacks, and keeps every other line', () => {
  const file = join(folder, 'earlier.env')
  const all = generateMissing({}, secretList)
  const publicKeys = (all['BUS_PUBLIC_KEYS'] as string).split(',').filter((entry) => !entry.startsWith('usage='))
  const earlier: Record<string, string> = { ...all, BUS_PUBLIC_KEYS: publicKeys.join(',') }
  const names = secretList.map(({ name }) => name).filter((name) => !/USAGE|MAIL_KEY/.test(name))
  const lines = names.map((name) => `${name}=${earlier[name]}`)
  writeFileSync(file, ['# own setting', 'BASE_URL=http://127.0.0.1:8080', 'MAIL_KEY=', ...lines].join('\n'))
  expect(secrets('--add-missing', file)).toMatchObject({ status: 0, stdout: expect.stringContaining('BUS_KEY_USAGE') as string })
  const completed = parseEnv(readFileSync(file, 'utf8'))
  expect(readFileSync(file, 'utf8')).toContain('# own setting\nBASE_URL=http://127.0.0.1:8080\n')
  for (const name of names.filter((each) => each !== 'BUS_PUBLIC_KEYS')) expect(completed[name]).toBe(all[name])
  expect(secretList.filter(({ name }) => !completed[name])).toEqual([])
  const key = parsePublicBusKeys(completed['BUS_PUBLIC_KEYS'] as string).find(({ user }) => user === 'usage')
  const [seed] = parseBusSeeds(completed['BUS_KEY_USAGE'] as string)
  expect(Buffer.from(key?.bytes ?? []).toString('base64url')).toBe(publicBusKey(seed as Uint8Array))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(secrets('--add-missing', file).stdout).toContain('no secret is missing')
})

test('completes the file that a link names, and no file beside one that was left by an interrupted run', () => {
  const own = mkdtempSync(join(folder, 'link-'))
  const [file, link] = [join(own, 'shared.env'), join(own, '.env')]
  writeFileSync(file, '# own setting\n')
  symlinkSync(file, link)
  writeFileSync(`${file}.new`, '')
  const rejected = secrets('--add-missing', link)
  expect(rejected).toMatchObject({ status: 2, stderr: expect.stringContaining(`${file}.new exists`) as string })
  expect(rejected.stderr).not.toContain('--out')
  rmSync(`${file}.new`)
  expect(secrets('--add-missing', link)).toMatchObject({ status: 0, stdout: expect.stringContaining('LINK_SECRET') as string })
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(secretList.filter(({ name }) => !parseEnv(readFileSync(file, 'utf8'))[name])).toEqual([])
})

test('rejects options that it would ignore beside --add-missing', () => {
  const file = join(folder, 'beside.env')
  writeFileSync(file, '')
  for (const option of ['--format', '--out'])
    expect(secrets('--add-missing', file, option, 'env')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`omit ${option}`) as string,
    })
  expect(readFileSync(file, 'utf8')).toBe('')
})

test.each(['export BUS_PUBLIC_KEYS=', '  BUS_PUBLIC_KEYS = '])(
  'replaces the public key of a lost key in a line that begins with "%s"',
  (line) => {
    const all = generateMissing({}, secretList)
    const names = secretList.map(({ name }) => name).filter((name) => name !== 'BUS_KEY_MAIL' && name !== 'BUS_PUBLIC_KEYS')
    const { text, added } = addMissing([...names.map((name) => `${name}=${all[name]}`), `${line}${all['BUS_PUBLIC_KEYS']}`].join('\n'))
    expect(added).toEqual(['BUS_KEY_MAIL', 'BUS_PUBLIC_KEYS'])
    const completed = parseEnv(text)
    const keys = parsePublicBusKeys(completed['BUS_PUBLIC_KEYS'] as string).filter(({ user }) => user === 'mail')
    const [seed] = parseBusSeeds(completed['BUS_KEY_MAIL'] as string)
    expect(keys.map(({ bytes }) => Buffer.from(bytes).toString('base64url'))).toEqual([publicBusKey(seed as Uint8Array)])
  },
)

test('Kubernetes secrets are per service; only init containers get the migrator’s password', () => {
  const file = join(folder, 'secrets.yaml')
  expect(secrets('--format', 'kubernetes', '--out', file, '--postgres', 'db.internal:5432').status).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const manifests = parseAllDocuments(readFileSync(file, 'utf8')).map(
    (each) => each.toJS() as { metadata: { name: string }; stringData: object },
  )
  const keys = Object.fromEntries(manifests.map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData)]))
  expect(keys).toMatchObject({
    'quittance-gateway': ['NATS_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS', 'PAGES_KEY'],
    'quittance-storefront': ['SECRETS_KEY', 'PAGES_KEY'],
    'quittance-provisioner': ['NATS_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS'],
    'quittance-orders': ['NATS_URL', 'DATABASE_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS', 'SECRETS_KEY', 'MAIL_KEY'],
    'quittance-orders-migration': ['MIGRATION_DATABASE_URL'],
    'quittance-webhooks': ['NATS_URL', 'DATABASE_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS', 'SECRETS_KEY'],
    'quittance-mail': ['NATS_URL', 'DATABASE_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS', 'MAIL_KEY'],
    'quittance-invoices': ['NATS_URL', 'DATABASE_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS', 'LINK_SECRET'],
  })
})

test('rejects an address that is not HOST:PORT, and writes nothing', () => {
  const file = join(folder, 'rejected.yaml')
  for (const postgres of ['postgres://db.internal:5432', 'db internal:5432', 'db.internal'])
    expect(secrets('--format', 'kubernetes', '--out', file, '--postgres', postgres)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--postgres must be HOST:PORT') as string,
    })
  expect(existsSync(file)).toBe(false)
})

test('a complete file of secrets is not written again', () => {
  const data = mkdtempSync(join(folder, 'data-'))
  const first = readSecrets(data)
  const { ino } = statSync(join(data, 'secrets.json'))
  expect(readSecrets(data)).toEqual(first)
  expect(statSync(join(data, 'secrets.json')).ino).toBe(ino)
})

test('lost secrets of an existing cluster are not replaced, and those of an interrupted first start are kept', () => {
  const data = mkdtempSync(join(folder, 'lost-'))
  // As a first start leaves them that was killed while it created the cluster.
  mkdirSync(join(data, 'postgres.new'))
  const first = readSecrets(data)
  mkdirSync(join(data, 'postgres'))
  expect(readSecrets(data)).toEqual(first)
  const file = join(data, 'secrets.json')
  renameSync(file, `${file}.backup`)
  const expected = `${file} is missing, and the rows in ${join(data, 'postgres')} are sealed under its keys. Restore secrets.json from the backup`
  expect(() => readSecrets(data)).toThrow(expected)
  expect(existsSync(file)).toBe(false)
  renameSync(`${file}.backup`, file)
  expect(readSecrets(data)).toEqual(first)
})

test('a data folder keeps its secrets, even of an earlier release’s format, and adds missing ones', () => {
  const earlier = { databases: { auth: 'a', orders: 'o', invoices: 'i', webhooks: 'w' }, link: 'l', keys: { auth: 'ka', webhooks: 'kw' } }
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify(earlier))
  const first = readSecrets(folder)
  expect(first).toMatchObject({
    MIGRATION_DATABASE_PASSWORD_ORDERS: 'o',
    LINK_SECRET: 'l',
    SECRETS_KEY_AUTH: 'ka',
    SECRETS_KEY_WEBHOOKS: 'kw',
  })
  expect(first['DATABASE_PASSWORD_ORDERS']).toMatch(/^p[0-9a-f]{48}$/)
  expect(readSecrets(folder)).toEqual(first)
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('a local instance accepts every key of a user, newest first, as during a rotation', () => {
  const secrets = generateMissing({}, secretList)
  const [older, newer] = [secrets['BUS_KEY_ORDERS'] as string, secrets['BUS_KEY_AUTH'] as string]
  const { publicKeys } = createBusKeys(secrets, { BUS_KEY_ORDERS: `${newer},${older}` })
  const ofOrders = parsePublicBusKeys(publicKeys).filter(({ user }) => user === 'orders')
  const expected = [newer, older].map((text) => publicBusKey(parseBusSeeds(text)[0] as Uint8Array))
  expect(ofOrders.map(({ bytes }) => Buffer.from(bytes).toString('base64url'))).toEqual(expected)
})

test('compose requires each secret by name, and no manifest contains a constant password', () => {
  const files = [
    'docker-compose.yml',
    'docker-compose.replicated.yml',
    'docker-compose.operator.yml',
    'docker-compose.replicated-operator.yml',
  ]
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  for (const { name } of secretList.filter(({ setting }) => setting?.services.length !== 0))
    expect(texts).toMatch(new RegExp(`\\$\\{${name}:(\\?npm run quittance -- secrets|-\\$\\{SECRETS_KEY:-\\}\\})`))
  expect(texts.match(/\$\{\w*(PASSWORD|SECRET|KEY)\w*(:?-[^$}][^}]*)?\}/g) ?? []).toEqual([])
  expect(texts).not.toMatch(/:\/\/\w+:(?!\$\{)[^@\s]+@/)
  const { services, networks } = parse(texts.split('\n# Override of docker-compose.yml: two replicas')[0] as string, { merge: true }) as {
    services: Record<string, { ports?: string[]; networks: string[] }>
    networks: Record<string, { internal?: boolean } | null>
  }
  expect(Object.keys(services).filter((name) => services[name]?.ports)).toEqual(['gateway'])
  expect(services['postgres']?.networks).toEqual(['database'])
  expect(services['nats']?.networks).toEqual(['bus'])
  expect(services['gateway']?.networks).not.toContain('database')
  expect(services['storefront']?.networks).toEqual(['pages'])
  expect(['database', 'bus', 'pages'].map((name) => networks[name]?.internal)).toEqual([true, true, true])
  expect(generateMissing({}, secretList)).not.toEqual(generateMissing({}, secretList))
})

test('compose limits the logs of every container', () => {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, { logging?: { options: Record<string, string> } }>
  }
  const limits = Object.values(services).map(({ logging }) => logging?.options)
  expect(limits).toEqual(limits.map(() => ({ 'max-size': '20m', 'max-file': '3' })))
})

test('compose passes on the documented settings of mail, and the proxies of the gateway', () => {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, { environment?: Record<string, unknown> }>
  }
  const page = readFileSync(join(root, 'docs/mail.md'), 'utf8')
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name as string)
  expect(documented).toContain('DKIM_PRIVATE_KEY')
  expect(Object.keys(services['mail']?.environment ?? {})).toEqual(expect.arrayContaining(documented))
  const proxied = ['TRUSTED_PROXIES', 'CORS_ORIGINS', 'RATE_LIMIT_PER_SECOND']
  expect(Object.keys(services['gateway']?.environment ?? {})).toEqual(expect.arrayContaining(proxied))
})
