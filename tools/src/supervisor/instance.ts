/** One running Quittance: engines, services, demo data, ready file; started in this order and stopped in the reverse one. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceName } from '@quittance/contracts/services'
import { findChromium } from '@quittance/testing/engines/chromium'
import type { Say } from '@quittance/testing/engines/engine'
import { isFree } from '@quittance/testing/engines/free-ports'
import type { ReadyFile } from '@quittance/testing/ready-file'
import { provideDemoData } from '../seed/demo-data.ts'
import { takeDataFolder, type DataFolder } from './data-folder.ts'
import { provideDatabases, provideNats, type Databases, type Nats } from './engines.ts'
import { publicAddresses } from './environment.ts'
import { writeReadyFile } from './ready-file.ts'
import { readSecrets, type Secrets } from './secrets.ts'
import { assignSeats, internalOrigins, startServices, type Seat, type Team } from './services.ts'
import type { StartOptions } from './start-options.ts'

export interface InstanceOptions extends StartOptions {
  given: NodeJS.ProcessEnv
  /** Progress of the start. */
  say: Say
  /** News later on: crashes, restarts, warnings of services. */
  tell: Say
  /** File of a service; tests play the services. */
  mainOf?: (service: ServiceName) => string
}

export interface Running {
  /** As they are now: process ids change when a service is started again. */
  facts: () => ReadyFile
  dataDir: string
}

export interface Instance {
  /** Resolves when everything answers and the ready file is written. */
  ready: Promise<Running>
  /** Stops everything that was started so far; may be called before it is ready. */
  stop(): Promise<void>
}

type Closers = (() => Promise<void> | void)[]

interface Ground {
  folder: DataFolder
  secrets: Secrets
  databases: Databases
  nats: Nats
  chromium: string
}

/** Together less than the 25 s within which a stop is promised. */
const patience = { gatewayMs: 6_000, othersMs: 11_000, natsMs: 2_000, postgresMs: 5_000 }

export function startInstance(options: InstanceOptions): Instance {
  const closers: Closers = []
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close()
  }
  return { ready: start(options, closers), stop }
}

async function start(options: InstanceOptions, closers: Closers): Promise<Running> {
  const { port, readyFile, say } = options
  if (port && !(await isFree(port))) throw new Error(`Port ${port} is in use. Choose another with --port; 0 takes a free one.`)
  const ground = await prepareGround(options, closers)
  const seats = await assignSeats(options.replicas, port)
  const news = { onRestarted: () => {} }
  const team = startTeam({ options, ground, seats, onRestarted: () => news.onRestarted() })
  closers.push(() => team.stop(patience))
  await team.firstReady
  say(`${seats.map(({ name }) => name).join(', ')} are ready`)
  const facts = await collectFacts({ options, ground, seats, team })
  const files = [join(ground.folder.path, 'instance.json'), ...(readyFile ? [readyFile] : [])]
  closers.push(() => files.forEach((file) => rmSync(file, { force: true })))
  news.onRestarted = () => files.forEach((file) => writeReadyFile(file, facts()))
  news.onRestarted()
  return { facts, dataDir: ground.folder.path }
}

async function prepareGround(options: InstanceOptions, closers: Closers): Promise<Ground> {
  const { given, say, tell } = options
  const folder = await takeDataFolder(options.dataDir, say)
  closers.push(folder.release)
  // Only now is it ours: an instance that holds the folder may have written it.
  if (options.readyFile) rmSync(options.readyFile, { force: true })
  const secrets = readSecrets(folder.path)
  const common = { dataDir: folder.path, fast: options.dataDir === null, given, say, tell }
  const closing =
    <Provided extends Databases | Nats>(patienceMs: number) =>
    (provided: Provided) => {
      closers.push(() => provided.kept?.stop(patienceMs))
      return provided
    }
  const [databases, nats, chromium] = await allOrFirstFault([
    provideDatabases({ ...common, secrets }).then(closing<Databases>(patience.postgresMs)),
    provideNats(common).then(closing<Nats>(patience.natsMs)),
    findChromium(say),
  ])
  return { folder, secrets, databases, nats, chromium }
}

/** Waits for all even when one fails, so that nothing is started behind the back of a stop. */
async function allOrFirstFault<Promises extends readonly Promise<unknown>[]>(promises: readonly [...Promises]) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

interface TeamOptions {
  options: InstanceOptions
  ground: Ground
  seats: readonly Seat[]
  onRestarted: () => void
}

const originOf = (seats: readonly Seat[]) => `http://127.0.0.1:${seats.find(({ service }) => service === 'gateway')?.port}`

function startTeam({ options: { given, say, tell, mainOf }, ground, seats, onRestarted }: TeamOptions): Team {
  const { folder, secrets, chromium, databases, nats } = ground
  say('starting the services')
  const surroundings = {
    given,
    secrets,
    chromium,
    origin: originOf(seats),
    databaseUrl: databases.urls,
    natsUrl: nats.urls,
    invoicesOrigins: internalOrigins(seats, 'invoices'),
    authOrigins: internalOrigins(seats, 'auth'),
  }
  return startServices({ seats, folder, surroundings, say: tell, onRestarted, ...(mainOf && { mainOf }) })
}

interface FactsOptions {
  options: InstanceOptions
  ground: Ground
  seats: readonly Seat[]
  team: Team
}

async function collectFacts({ options, ground, seats, team }: FactsOptions): Promise<() => ReadyFile> {
  const { given, say } = options
  const { folder, databases, nats } = ground
  const origin = originOf(seats)
  const seed = { file: join(folder.path, 'demo.json'), natsUrl: nats.urls.operator, origin, say }
  const demo = options.seed === 'demo' ? await provideDemoData(seed) : null
  const { baseUrl, authUrl } = publicAddresses(given, origin)
  return () => ({
    base_url: baseUrl,
    auth_url: authUrl,
    postgres_url: databases.superuserUrl,
    nats_url: nats.urls.operator,
    pid: process.pid,
    services: team.describe(),
    ...(demo && { demo }),
  })
}
