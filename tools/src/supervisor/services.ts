/** The service processes of an instance: where each listens, and what the ready file says of them. */
import { join, resolve } from 'node:path'
import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import type { Say } from '@quittance/testing/engines/engine'
import { freePorts } from '@quittance/testing/engines/free-ports'
import type { DataFolder } from './data-folder.ts'
import { serviceEnvironment, type Surroundings } from './environment.ts'
import { keepRunning, type Kept } from './keep-running.ts'
import type { ReadyFile, ServiceProcess } from '@quittance/testing/ready-file'
import { startService } from './service-process.ts'

/** One place for one process. */
export interface Seat {
  service: ServiceName
  /** `orders`, or `orders-2` among several. */
  name: string
  number: number
  healthPort: number
  /** Public port; gateways only. */
  port: number | null
}

/** Chooses the ports of all processes before the first one starts, because some are told where others listen. */
export async function assignSeats(replicas: Record<ServiceName, number>, gatewayPort: number): Promise<Seat[]> {
  const wanted = serviceNames.flatMap((service) =>
    Array.from({ length: replicas[service] }, (_, index) => ({ service, number: index + 1 })),
  )
  const ports = await freePorts(wanted.length + replicas.gateway)
  return wanted.map(({ service, number }, index) => ({
    service,
    number,
    name: replicas[service] === 1 ? service : `${service}-${number}`,
    healthPort: ports[index] as number,
    port: service === 'gateway' ? (number === 1 && gatewayPort ? gatewayPort : (ports[wanted.length + number - 1] as number)) : null,
  }))
}

/** Internal addresses of a service's processes. */
export function internalOrigins(seats: readonly Seat[], service: ServiceName): string[] {
  return seats.filter((seat) => seat.service === service).map(({ healthPort }) => `http://127.0.0.1:${healthPort}`)
}

export interface Team {
  kept: Map<Seat, Kept>
  /** Rejects when one of them does not come up. */
  firstReady: Promise<void>
  describe(): ReadyFile['services']
  /** The door closes first, so that requests that are under way find the others at work. */
  stop(patience: { gatewayMs: number; othersMs: number }): Promise<void>
}

interface TeamOptions {
  seats: readonly Seat[]
  folder: DataFolder
  surroundings: Surroundings
  say: Say
  onRestarted: () => void
  /** File of a service; tests play the services. */
  mainOf?: (service: ServiceName) => string
}

const root = resolve(import.meta.dirname, '..', '..', '..')

export function startServices({ seats, folder, surroundings, say, onRestarted, mainOf = mainFile }: TeamOptions): Team {
  const start = (seat: Seat) => () =>
    startService({
      name: seat.name,
      main: mainOf(seat.service),
      env: serviceEnvironment(seat.service, { ...surroundings, healthPort: seat.healthPort, port: seat.port }),
      healthUrl: healthUrl(seat),
      logFile: join(folder.logs, `${seat.service}-${seat.number}.log`),
      recordFile: join(folder.run, `${seat.service}-${seat.number}.pid`),
      say,
    })
  const kept = new Map(seats.map((seat) => [seat, keepRunning({ name: seat.name, start: start(seat), say, onRestarted })]))
  const stopAll = async (which: (seat: Seat) => boolean, patienceMs: number) => {
    await Promise.all([...kept].filter(([seat]) => which(seat)).map(([, each]) => each.stop(patienceMs)))
  }
  return {
    kept,
    firstReady: Promise.all([...kept.values()].map(({ firstReady }) => firstReady)).then(() => {}),
    describe: () => describe(kept),
    async stop({ gatewayMs, othersMs }) {
      await stopAll(({ service }) => service === 'gateway', gatewayMs)
      await stopAll(({ service }) => service !== 'gateway', othersMs)
    },
  }
}

function mainFile(service: ServiceName): string {
  return join(root, 'services', service, 'src', 'main.ts')
}

function healthUrl({ healthPort }: Seat): string {
  return `http://127.0.0.1:${healthPort}/readyz`
}

function describe(kept: Map<Seat, Kept>): ReadyFile['services'] {
  const services = Object.fromEntries(serviceNames.map((name) => [name, [] as ServiceProcess[]])) as ReadyFile['services']
  for (const [seat, each] of kept) {
    const pid = each.pid()
    // Between two lives there is no process to name; the file is written again when the next one is ready.
    if (pid === null) continue
    services[seat.service].push({ pid, health_url: healthUrl(seat), ...(seat.port && { url: `http://127.0.0.1:${seat.port}` }) })
  }
  return services
}
