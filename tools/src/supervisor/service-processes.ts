/** The service processes of an instance: their addresses, and their entries in the ready file. */
import { join, resolve } from 'node:path'
import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import { freePorts } from '@quittance/testing/engines/free-ports'
import type { DataFolder } from './data-folder.ts'
import { serviceEnvironment, type InstanceEnvironment } from './environment.ts'
import { superviseProcess, type SupervisedProcess } from './supervise-process.ts'
import type { ReadyFile, ServiceProcess } from '@quittance/testing/ready-file'
import { startService } from './service-process.ts'

/** One slot for one process. */
export interface ProcessSlot {
  service: ServiceName
  /** `orders`, or `orders-2` if there are several. */
  name: string
  number: number
  healthPort: number
  /** Public port; gateways only. */
  port: number | null
}

/** Chooses the ports of all processes before the first one starts, because some need the addresses of others. */
export async function assignPorts(replicas: Record<ServiceName, number>, gatewayPort: number): Promise<ProcessSlot[]> {
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

/** Returns the internal addresses of a service's processes. */
export function internalOrigins(slots: readonly ProcessSlot[], service: ServiceName): string[] {
  return slots.filter((slot) => slot.service === service).map(({ healthPort }) => `http://127.0.0.1:${healthPort}`)
}

export interface ServiceProcesses {
  kept: Map<ProcessSlot, SupervisedProcess>
  /** Rejects if one of them does not start. */
  firstReady: Promise<void>
  describe(): ReadyFile['services']
  /** Restarts the processes of some services, the gateway first. Resolves when each is ready or has ended. */
  restart(services: ReadonlySet<ServiceName>): Promise<void>
  /** Stops the gateway first, so that the other services still serve requests in progress. */
  stop(patience: { gatewayMs: number; othersMs: number }): Promise<void>
}

interface TeamOptions {
  slots: readonly ProcessSlot[]
  folder: DataFolder
  environment: InstanceEnvironment
  report: ProgressReporter
  onRestarted: () => void
  /** Main file of a service; tests provide fake services. */
  resolveMain?: (service: ServiceName) => string
}

/** A developer waits for the new code, not for requests in progress. */
const restartPatienceMs = 500

const root = resolve(import.meta.dirname, '..', '..', '..')

export function startServices({ slots, folder, environment, report, onRestarted, resolveMain = mainFile }: TeamOptions): ServiceProcesses {
  const start = (slot: ProcessSlot) => () =>
    startService({
      name: slot.name,
      main: resolveMain(slot.service),
      env: serviceEnvironment(slot.service, { ...environment, healthPort: slot.healthPort, port: slot.port }),
      healthUrl: healthUrl(slot),
      logFile: join(folder.logs, `${slot.service}-${slot.number}.log`),
      recordFile: join(folder.run, `${slot.service}-${slot.number}.pid`),
      report,
    })
  const kept = new Map(slots.map((slot) => [slot, superviseProcess({ name: slot.name, start: start(slot), report, onRestarted })]))
  const stopAll = async (which: (slot: ProcessSlot) => boolean, patienceMs: number) => {
    await Promise.all([...kept].filter(([slot]) => which(slot)).map(([, each]) => each.stop(patienceMs)))
  }
  return {
    kept,
    firstReady: Promise.all([...kept.values()].map(({ firstReady }) => firstReady)).then(() => {}),
    describe: () => describe(kept),
    async restart(services) {
      const restartAll = (which: (slot: ProcessSlot) => boolean) =>
        Promise.all(
          [...kept].filter(([slot]) => services.has(slot.service) && which(slot)).map(([, each]) => each.restart(restartPatienceMs)),
        )
      await restartAll(({ service }) => service === 'gateway')
      await restartAll(({ service }) => service !== 'gateway')
    },
    async stop({ gatewayMs, othersMs }) {
      await stopAll(({ service }) => service === 'gateway', gatewayMs)
      await stopAll(({ service }) => service !== 'gateway', othersMs)
    },
  }
}

function mainFile(service: ServiceName): string {
  return join(root, 'services', service, 'src', 'main.ts')
}

function healthUrl({ healthPort }: ProcessSlot): string {
  return `http://127.0.0.1:${healthPort}/readyz`
}

function describe(kept: Map<ProcessSlot, SupervisedProcess>): ReadyFile['services'] {
  const services = Object.fromEntries(serviceNames.map((name) => [name, [] as ServiceProcess[]])) as ReadyFile['services']
  for (const [slot, each] of kept) {
    const pid = each.pid()
    // Between two runs there is no process to list; the file is rewritten when the next one is ready.
    if (pid === null) continue
    services[slot.service].push({ pid, health_url: healthUrl(slot), ...(slot.port && { url: `http://127.0.0.1:${slot.port}` }) })
  }
  return services
}
