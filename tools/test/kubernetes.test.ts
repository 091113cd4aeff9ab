import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busServiceNames, serviceNames } from '@quittance/contracts/services'
import { afterEach, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { render, type Manifest } from '../src/kubernetes/render.ts'
import { kubernetesSecrets } from '../src/secrets/kubernetes-secrets.ts'
import { databaseOwners, generateMissing, secretList } from '../src/secrets/secret-list.ts'

const root = join(import.meta.dirname, '../..')
const overlay = (name: string) => join(root, 'infra/kubernetes/overlays', name)
const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Runs the step of `npm run check` on a copy in which one word is changed. */
function runCheck(change: { file: string; from: string; to: string } | null): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-kubernetes-'))
  folders.push(folder)
  cpSync(join(root, 'infra/kubernetes'), folder, { recursive: true })
  if (change) {
    const text = readFileSync(join(folder, change.file), 'utf8')
    expect(text).toContain(change.from)
    writeFileSync(join(folder, change.file), text.replace(change.from, change.to))
  }
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const [program, ...args] = scripts['check:kubernetes']?.split(' ') ?? []
  expect(program).toBe('node')
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--folder', folder], { cwd: root, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

test('accepts the manifests as they are', () => {
  expect(runCheck(null)).toEqual({ status: 0, output: 'replicated: 48 manifests\nsmall: 48 manifests\n' })
})

const mistakes: [name: string, change: { file: string; from: string; to: string }, expected: RegExp][] = [
  ['a wrong field name', { file: 'base/orders.yaml', from: 'readinessProbe:', to: 'readynessProbe:' }, /readynessProbe/],
  ['a wrong nested field name', { file: 'base/network-policies.yaml', from: 'podSelector: {}', to: 'podSelektor: {}' }, /podSelektor/],
  [
    'a value of another type',
    { file: 'base/auth.yaml', from: 'minReplicas: 2', to: 'minReplicas: two' },
    /not assignable to type 'number'/,
  ],
  ['a kind that the API does not have', { file: 'base/auth.yaml', from: 'kind: PodDisruptionBudget', to: 'kind: PodBudget' }, /PodBudget/],
  [
    'a patch of a missing object',
    { file: 'overlays/small/kustomization.yaml', from: '/spec/minReplicas', to: '/spec/minimum' },
    /spec\/minimum does not exist/,
  ],
  [
    'a key of kustomize that is not supported here',
    { file: 'overlays/small/kustomization.yaml', from: 'images:', to: 'imagez:' },
    /does not support imagez/,
  ],
]

test.each(mistakes)('rejects %s', (_, change, expected) => {
  const { status, output } = runCheck(change)
  expect(status).toBe(1)
  expect(output).toMatch(expected)
})

const manifests = render(overlay('replicated'))
const of = (kind: string, name: string) => manifests.find((each) => each.kind === kind && each.metadata.name === name)

test.each(serviceNames)('%s has probes, a budget, a scale, no root user, and its secrets by reference', (name) => {
  for (const kind of ['Deployment', 'Service', 'HorizontalPodAutoscaler', 'PodDisruptionBudget']) expect(of(kind, name)).toBeDefined()
  const text = JSON.stringify(of('Deployment', name))
  for (const part of ['startupProbe', 'livenessProbe', 'readinessProbe', '"runAsNonRoot":true', '"readOnlyRootFilesystem":true'])
    expect(text).toContain(part)
  for (const secret of ['NATS_URL', 'BUS_KEY', 'BUS_PUBLIC_KEYS', 'DATABASE_URL', 'SECRETS_KEY', 'LINK_SECRET', 'PAGES_KEY']) {
    expect(text).not.toContain(`"name":"${secret}","value"`)
    const reference = new RegExp(
      `{"name":"${secret}","valueFrom":{"secretKeyRef":{"name":"quittance-${name}","key":"${secret}"(,"optional":true)?}}}`,
    )
    expect(reference.test(text)).toBe(text.includes(`"name":"${secret}"`))
  }
})

test('a pod that the gateway reaches over HTTP accepts requests until the cluster has stopped to route them there', () => {
  interface PodSpec {
    terminationGracePeriodSeconds: number
    containers: { env: { name: string; value?: string }[]; lifecycle?: { preStop: { exec: { command: string[] } } } }[]
  }
  const readPod = (name: string) => (of('Deployment', name) as unknown as { spec: { template: { spec: PodSpec } } }).spec.template.spec
  const upstreams = readPod('gateway').containers[0]?.env.flatMap(({ value }) => /^http:\/\/(\w+):9090$/.exec(value ?? '')?.[1] ?? [])
  expect(upstreams).toEqual(['invoices', 'auth', 'storefront', 'mail'])
  for (const name of upstreams ?? []) {
    const { terminationGracePeriodSeconds, containers } = readPod(name)
    expect([name, containers[0]?.lifecycle?.preStop.exec.command]).toEqual([name, ['sleep', '5']])
    // A stop takes up to 20 s more.
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(25)
  }
})

test.each(['small', 'replicated'])('%s names an image of a registry for every service', (name) => {
  const images = [...JSON.stringify(render(overlay(name))).matchAll(/"image":"([^"]+)"/g)].map(([, image]) => image)
  const named = serviceNames.map((service) => `registry.example.com/quittance/${service}:0.1.0`)
  expect(new Set(images)).toEqual(new Set(named))
})

test('the generated secrets have every key that a container needs, except the SMTP server', () => {
  const places = { postgres: 'postgres:5432', nats: 'nats:4222' }
  const secrets = parseAllDocuments(kubernetesSecrets(generateMissing({}, secretList), places)).map(
    (each) => each.toJS() as { metadata: { name: string }; stringData: object },
  )
  const generated = new Set(secrets.flatMap(({ metadata, stringData }) => Object.keys(stringData).map((key) => `${metadata.name} ${key}`)))
  const references = JSON.stringify(manifests).matchAll(/"secretKeyRef":{"name":"([^"]+)","key":"([^"]+)"}/g)
  const missing = [...references].map(([, name, key]) => `${name} ${key}`).filter((reference) => !generated.has(reference))
  expect(missing).toEqual(['quittance-mail SMTP_URL', 'quittance-mail MAIL_FROM'])
})

interface Policy extends Manifest {
  spec: {
    podSelector: { matchLabels?: Record<string, string>; matchExpressions?: { values: string[] }[] }
    egress?: { to?: unknown[]; ports?: { port: number }[] }[]
  }
}

/** Returns whether any policy allows a service to open connections to a port. */
function reaches(service: string, port: number): boolean {
  return manifests
    .filter((manifest): manifest is Policy => manifest.kind === 'NetworkPolicy')
    .filter(({ spec: { podSelector } }) => {
      const labels = podSelector.matchLabels ?? {}
      const names = podSelector.matchExpressions?.flatMap(({ values }) => values) ?? []
      return labels['app.kubernetes.io/part-of'] === 'quittance' || labels['app.kubernetes.io/name'] === service || names.includes(service)
    })
    .some(({ spec }) => spec.egress?.some(({ ports }) => ports?.some((each) => each.port === port)))
}

test('network policies match NATS permissions; only webhooks, auth and orders may reach the internet', () => {
  for (const service of serviceNames) {
    const isOnBus = (busServiceNames as readonly string[]).includes(service)
    expect(reaches(service, 4222)).toBe(isOnBus)
    expect(reaches(service, 5432)).toBe((databaseOwners as readonly string[]).includes(service))
    expect(reaches(service, 9090)).toBe(service === 'gateway')
    expect(reaches(service, 8080)).toBe(service === 'storefront')
  }
  const open = manifests.filter((each) => each.kind === 'NetworkPolicy' && JSON.stringify(each).includes('ipBlock'))
  expect(open.map(({ metadata }) => metadata.name)).toEqual(['outside', 'payment-providers'])
  expect(JSON.stringify(open)).toContain('"values":["auth","webhooks"]')
  expect(reaches('orders', 443)).toBe(true)
})

const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0
// oxlint-disable-next-line no-console -- a skipped comparison must be visible
if (!kubectl) console.warn('NOT COMPARED: kubectl is not installed; the manifests were rendered by this repository alone')

test.runIf(kubectl).each(['small', 'replicated'])('renders %s like kubectl', (name) => {
  const { stdout } = spawnSync('kubectl', ['kustomize', overlay(name)], { encoding: 'utf8' })
  const theirs = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
  const byName = (list: Manifest[]) => list.toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`))
  expect(byName(render(overlay(name)))).toEqual(byName(theirs))
})
