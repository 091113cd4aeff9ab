/** One running Quittance: engines, services, demo data, ready file; started in this order and stopped in the reverse one. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { withoutEmptySettings } from '@quittance/runtime/config'
import type { ServiceName } from '@quittance/contracts/services'
import { findChromium } from '@quittance/testing/engines/chromium'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import { isFree } from '@quittance/testing/engines/free-ports'
import { writeJsonFile } from '@quittance/testing/engines/json-file'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { provideDemoData } from '../seed/demo-data.ts'
import { lockDataFolder, prepareReadyFile, type DataFolder } from './data-folder.ts'
import { startDatabases, startNats, type Databases, type Nats } from './engines.ts'
import { publicAddresses, sandboxPayments } from './environment.ts'
import type { DatabaseOwner, Secrets } from '../secrets/secret-list.ts'
import { createBusKeys, type BusKeys } from './bus-keys.ts'
import { migrateDatabases } from './migrate-databases.ts'
import { readSecrets } from './secrets.ts'
import { assignPorts, internalOrigins, startServices, type ProcessSlot, type ServiceProcesses } from './service-processes.ts'
import { startLinksFile } from './start-links.ts'
import { createChangeHandler } from './restart-changed.ts'
import type { StartOptions } from './start-options.ts'
import { watchSources } from './watch-sources.ts'

export interface InstanceOptions extends StartOptions {
  userEnvironment: NodeJS.ProcessEnv
  /** Progress of the start. */
  report: ProgressReporter
  /** Later messages: crashes, restarts, warnings of services. */
  notify: ProgressReporter
  /** Main file of a service; tests provide fake services. */
  resolveMain?: (service: ServiceName) => string
  /** Checkout whose sources are watched; tests provide a copy. */
  watchedRoot?: string
  /** Services of a release with one database role: they migrate when they start, with the role that owns the schema. */
  hasOneRole?: (service: ServiceName) => boolean
}

export interface Running {
  /** Current state: process ids change when a service is restarted. */
  facts: () => ReadyFile
  dataDir: string
  /** What was requested by name. */
  allow: StartOptions['allow']
}

export interface Instance {
  /** Resolves when all services are ready and the ready file is written. */
  ready: Promise<Running>
  /** Stops everything that was started so far; may be called before it is ready. */
  stop(): Promise<void>
}

type Closers = (() => Promise<void> | void)[]

interface Resources {
  folder: DataFolder
  secrets: Secrets
  busKeys: BusKeys
  databases: Databases
  nats: Nats
  chromium: string
}

/** In total less than the 25 s within which a stop is promised. */
const patience = { gatewayMs: 6_000, othersMs: 11_000, natsMs: 2_000, postgresMs: 5_000 }

/** No origin and no network, where our defaults are others. The time zone of a process is UTC if it is empty. */
const meaningfulWhenEmpty = ['CORS_ORIGINS', 'WEBHOOK_ALLOWED_CIDRS', 'TZ']

export function startInstance(options: InstanceOptions): Instance {
  const closers: Closers = []
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
  const userEnvironment = withoutEmptySettings(options.userEnvironment, meaningfulWhenEmpty)
  return { ready: start({ ...options, userEnvironment }, closers), stop }
}

async function start(options: InstanceOptions, closers: Closers): Promise<Running> {
  const { port, readyFile, report } = options
  if (port && !(await isFree(port))) throw new Error(`Port ${port} is in use. Choose another with --port; 0 takes a free one.`)
  const resources = await prepareResources(options, closers)
  const slots = await assignPorts(options.replicas, port)
  const restarts = { onRestarted: () => {} }
  const team = startTeam({ options, resources, slots, onRestarted: () => restarts.onRestarted() })
  closers.push(() => team.stop(patience))
  await team.firstReady
  report(`${slots.map(({ name }) => name).join(', ')} are ready`)
  const facts = await collectFacts({ options, resources, slots, team })
  const files = [join(resources.folder.path, 'instance.json'), ...(readyFile ? [readyFile] : [])]
  closers.push(() => files.forEach((file) => rmSync(file, { force: true })))
  restarts.onRestarted = () => files.forEach((file) => writeJsonFile(file, facts()))
  if (options.watch) closers.push(watchForChanges({ options, resources, team }))
  restarts.onRestarted()
  return { facts, dataDir: resources.folder.path, allow: options.allow }
}

const checkout = join(import.meta.dirname, '../../..')

function watchForChanges({ options, resources, team }: Pick<FactsOptions, 'options' | 'resources' | 'team'>): () => void {
  const { notify, watchedRoot = checkout } = options
  const onChange = createChangeHandler({
    restart: (services) => team.restart(services),
    migrate: async () => void (await migrate(resources.databases, options)),
    updatePermissions: () => resources.nats.updatePermissions(),
    report: notify,
  })
  const watcher = watchSources({ root: watchedRoot, onChange })
  return () => watcher.close()
}

async function prepareResources(options: InstanceOptions, closers: Closers): Promise<Resources> {
  const { userEnvironment, report, notify } = options
  const folder = await lockDataFolder(options.dataDir, report)
  closers.push(folder.release)
  // Only now is the file ours: an instance that holds the folder may have written it.
  if (options.readyFile) prepareReadyFile(options.readyFile)
  const secrets = readSecrets(folder.path)
  const busKeys = createBusKeys(secrets, userEnvironment)
  const common = { dataDir: folder.path, fast: options.dataDir === null, userEnvironment, report, notify }
  const closing =
    <Provided extends Databases | Nats>(patienceMs: number) =>
    (provided: Provided) => {
      closers.push(() => provided.kept?.stop(patienceMs))
      return provided
    }
  const [databases, nats, chromium] = await allOrFirstError([
    startDatabases({ ...common, secrets })
      .then(closing<Databases>(patience.postgresMs))
      .then((provided) => migrate(provided, options)),
    startNats(common).then(closing<Nats>(patience.natsMs)),
    findChromium(report),
  ])
  return { folder, secrets, busKeys, databases, nats, chromium }
}

async function migrate(databases: Databases, { hasOneRole = () => false }: InstanceOptions): Promise<Databases> {
  const entries = Object.entries(databases.urls) as [DatabaseOwner, string][]
  const here = Object.fromEntries(entries.filter(([owner]) => !hasOneRole(owner)))
  await migrateDatabases({ urls: here, migrationUrls: databases.migrationUrls })
  const owning = entries.map(([owner, url]) => [owner, (hasOneRole(owner) && databases.migrationUrls[owner]) || url])
  return { ...databases, urls: Object.fromEntries(owning) as Databases['urls'] }
}

/** Waits for all promises even if one rejects, so that nothing is started after a stop. */
async function allOrFirstError<Promises extends readonly Promise<unknown>[]>(promises: readonly [...Promises]) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

interface TeamOptions {
  options: InstanceOptions
  resources: Resources
  slots: readonly ProcessSlot[]
  onRestarted: () => void
}

const findOrigin = (slots: readonly ProcessSlot[]) => `http://127.0.0.1:${slots.find(({ service }) => service === 'gateway')?.port}`

function startTeam({
  options: { userEnvironment, report, notify, resolveMain, allow },
  resources,
  slots,
  onRestarted,
}: TeamOptions): ServiceProcesses {
  const { folder, secrets, busKeys, chromium, databases, nats } = resources
  report('starting the services')
  const environment = {
    userEnvironment,
    secrets,
    chromium,
    origin: findOrigin(slots),
    databaseUrl: databases.urls,
    natsUrl: nats.urls,
    busKeys,
    invoicesOrigins: internalOrigins(slots, 'invoices'),
    authOrigins: internalOrigins(slots, 'auth'),
    storefrontOrigins: internalOrigins(slots, 'storefront'),
    apiOrigins: slots.flatMap(({ port }) => (port ? [`http://127.0.0.1:${port}`] : [])),
    mailOrigins: internalOrigins(slots, 'mail'),
    allowsLoopbackWebhooks: allow.has('loopback-webhooks'),
    allowsSandboxPayments: allow.has('sandbox-payments'),
    startLinksFile: startLinksFile(folder.path),
    internalPorts: internalPorts({ databases, nats, slots }),
  }
  return startServices({
    slots,
    folder,
    environment,
    report: notify,
    onRestarted,
    ...(resolveMain && { resolveMain }),
  })
}

/** Returns the ports of engines on this machine, and of all internal endpoints of the services. */
function internalPorts({ databases, nats, slots }: Pick<Resources, 'databases' | 'nats'> & { slots: readonly ProcessSlot[] }): number[] {
  const urls = [...Object.values(databases.urls), ...Object.values(nats.urls).flatMap((list) => list.split(','))]
  const ports = urls.map((url) => Number(/:(\d+)(?:\/|$)/.exec(url)?.[1] ?? 0)).filter(Boolean)
  return [...new Set([...ports, ...nats.internalPorts, ...slots.map(({ healthPort }) => healthPort)])]
}

interface FactsOptions {
  options: InstanceOptions
  resources: Resources
  slots: readonly ProcessSlot[]
  team: ServiceProcesses
}

async function collectFacts({ options, resources, slots, team }: FactsOptions): Promise<() => ReadyFile> {
  const { userEnvironment, report } = options
  const { folder, busKeys, databases, nats } = resources
  const origin = findOrigin(slots)
  const operator = { natsUrl: nats.urls.operator, busKey: busKeys.secret.operator, busPublicKeys: busKeys.publicKeys }
  const seed = { file: join(folder.path, 'demo.json'), operator, origin, report }
  const { baseUrl, authUrl, pagesUrl } = publicAddresses(userEnvironment, origin)
  const isRequested = options.allow.has('sandbox-payments')
  const canSell = sandboxPayments(userEnvironment, { baseUrl, isRequested }) === 'on'
  const demo = options.seed === 'demo' ? await provideDemoData({ ...seed, canSell }) : null
  return () => ({
    base_url: baseUrl,
    auth_url: authUrl,
    pages_url: pagesUrl,
    postgres_url: databases.superuserUrl,
    ...(Object.keys(databases.external).length > 0 && { external_databases: databases.external }),
    nats_url: nats.urls.operator,
    stream_url: nats.urls.stream,
    operator_bus_key: operator.busKey,
    bus_public_keys: operator.busPublicKeys,
    pid: process.pid,
    services: team.describe(),
    ...(demo && { demo }),
  })
}
