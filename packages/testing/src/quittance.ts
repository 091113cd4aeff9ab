import { randomBytes } from 'node:crypto'
import { busServiceNames, serviceNames, type ServiceName } from '@quittance/contracts/services'
import { GenericContainer, Network, Wait, type StartedNetwork, type StartedTestContainer } from 'testcontainers'
import type { OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { testBusSettings, testOperatorAccess } from './bus.ts'
import { startNatsContainer, startPostgresContainer } from './containers.ts'
import { ensureDatabases, runtimeRole } from './engines/service-database.ts'
import { freePorts } from './engines/free-ports.ts'
import { createFirstOrganization, type FirstOrganization } from './first-organization.ts'
import { serviceImage } from './images.ts'

/** A complete Quittance in containers, for tests of systems built on it. */
export interface Quittance extends FirstOrganization, AsyncDisposable {
  /** URL of the API, without a trailing slash. */
  baseUrl: string
  /**
   * Address under which the containers reach this machine: a test's webhook endpoint listens on 0.0.0.0 and is registered as
   * `http://‹hostAddress›:‹port›/`.
   */
  hostAddress: string
  /** Settings for `quittance … --nats`: the URL, and `BUS_KEY` and `BUS_PUBLIC_KEYS` of its environment. */
  operator: OperatorAccess
  stop(): Promise<void>
}

export interface QuittanceOptions {
  /** Settings of the services (`.env.example` lists them), in addition to those a test needs. */
  env?: Record<string, string>
}

const hostName = 'host.docker.internal'
/** Networks from which Docker assigns addresses, so that webhooks can reach this machine. */
const dockerNetworks = '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8'
const startTimeoutMs = 120_000

/**
 * Starts PostgreSQL, NATS and the services, and creates an organization with a token. No data remain. Needs a Docker daemon and the images
 * of the services (`docker compose build` in a checkout).
 */
export async function startQuittance({ env = {} }: QuittanceOptions = {}): Promise<Quittance> {
  const [port] = (await freePorts(1)) as [number]
  const baseUrl = `http://127.0.0.1:${port}`
  const network = await new Network().start()
  const running: StartedTestContainer[] = []
  const track = async (starting: Promise<StartedTestContainer>) => {
    const container = await starting
    running.push(container)
    return container
  }
  const stop = async () => {
    await Promise.all(running.splice(0).map((container) => container.stop()))
    await network.stop()
  }
  try {
    const operator = testOperatorAccess(await startEngines(network, track))
    const shared = { BASE_URL: baseUrl, AUTH_URL: baseUrl, PAGES_URL: baseUrl, RATE_LIMIT_PER_SECOND: '0', ...secrets(), ...env }
    const starts = serviceNames.map((service) => track(startServiceContainer(service, { env: shared, network, port })))
    const [webhooks] = (await allOrFirstError(starts)).slice(serviceNames.indexOf('webhooks')) as [StartedTestContainer]
    const hostAddress = await resolveHostAddress(webhooks)
    const organization = await createFirstOrganization(operator)
    return { ...organization, baseUrl, hostAddress, operator, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Track = (starting: Promise<StartedTestContainer>) => Promise<StartedTestContainer>

/** Starts the engines and returns the operator's NATS URL. */
async function startEngines(network: StartedNetwork, track: Track): Promise<string> {
  const [postgres, nats] = await allOrFirstError([track(startPostgresContainer(network)), track(startNatsContainer({ network }))])
  const superuser = `postgres://postgres:postgres@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`
  await ensureDatabases(
    superuser,
    busServiceNames
      .filter((name) => name !== 'gateway' && name !== 'provisioner')
      .map((name) => ({ name, password: name, runtimePassword: name })),
  )
  return `nats://operator:operator@${nats.getHost()}:${nats.getMappedPort(4222)}`
}

interface ContainerOptions {
  env: Record<string, string>
  network: StartedNetwork
  /** Public port of the gateway on this machine. */
  port: number
}

async function startServiceContainer(service: ServiceName, { env, network, port }: ContainerOptions): Promise<StartedTestContainer> {
  const image = serviceImage(service)
  const container = new GenericContainer(image)
    .withNetwork(network)
    .withNetworkAliases(service)
    .withExtraHosts([{ host: hostName, ipAddress: 'host-gateway' }])
    .withEnvironment({ ...env, ...serviceSettings(service) })
    .withExposedPorts(9090, ...(service === 'gateway' ? [{ container: 8080, host: port }] : []))
    .withWaitStrategy(Wait.forHttp('/readyz', 9090).withStartupTimeout(startTimeoutMs))
  try {
    return await container.start()
  } catch (error) {
    throw new Error(`${image} did not start. Does it exist? In a checkout of Quittance: docker compose build ${service}`, { cause: error })
  }
}

/** Without TLS, webhooks may be sent to an address, but not to a name. */
async function resolveHostAddress(container: StartedTestContainer): Promise<string> {
  const { output } = await container.exec(['getent', 'ahostsv4', hostName])
  return output.split(/\s/)[0] as string
}

function serviceSettings(service: ServiceName): Record<string, string> {
  if (service === 'storefront') return { API_HTTP_URL: 'http://gateway:8080' }
  const nats = { NATS_URL: `nats://${service}:${service}@nats:4222`, ...testBusSettings(service) }
  if (service === 'gateway') {
    const upstreams = {
      AUTH_HTTP_URL: 'http://auth:9090',
      INVOICES_HTTP_URL: 'http://invoices:9090',
      MAIL_HTTP_URL: 'http://mail:9090',
      STOREFRONT_HTTP_URL: 'http://storefront:9090',
    }
    return { ...nats, ...upstreams }
  }
  if (service === 'provisioner') return nats
  // Data are temporary, so the service may migrate by itself.
  return {
    ...nats,
    DATABASE_URL: `postgres://${runtimeRole(service)}:${service}@postgres:5432/${service}`,
    MIGRATION_DATABASE_URL: `postgres://${service}:${service}@postgres:5432/${service}`,
  }
}

function secrets(): Record<string, string> {
  return {
    SECRETS_KEY: randomBytes(32).toString('base64'),
    MAIL_KEY: randomBytes(32).toString('base64'),
    LINK_SECRET: randomBytes(32).toString('base64'),
    PAGES_KEY: randomBytes(32).toString('base64'),
    SANDBOX_PAYMENTS: 'on',
    SANDBOX_TEST_CLOCK: 'on',
    WEBHOOK_ALLOWED_CIDRS: dockerNetworks,
  }
}

/** Waits for all even if one fails, so that nothing starts after the stop. */
async function allOrFirstError<Promises extends readonly Promise<unknown>[]>(promises: readonly [...Promises]) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
