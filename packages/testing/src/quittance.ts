import { randomBytes } from 'node:crypto'
import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import { GenericContainer, Network, Wait, type StartedNetwork, type StartedTestContainer } from 'testcontainers'
import { startNatsContainer, startPostgresContainer } from './containers.ts'
import { ensureDatabases } from './engines/service-database.ts'
import { freePorts } from './engines/free-ports.ts'
import { makeFirstOrganization, type FirstOrganization } from './first-organization.ts'
import { serviceImage } from './images.ts'

/** A whole Quittance in containers, for the tests of what is built upon it. */
export interface Quittance extends FirstOrganization, AsyncDisposable {
  /** Address of the API, without a slash at the end. */
  baseUrl: string
  /** Where the containers reach this machine: a test's webhook endpoint listens on 0.0.0.0 and is registered as `http://‹hostAddress›:‹port›/`. */
  hostAddress: string
  /** NATS with the operator's credentials, for `quittance … --nats`. */
  operatorUrl: string
  stop(): Promise<void>
}

export interface QuittanceOptions {
  /** Settings of the services (`.env.example` lists them), on top of those a test needs. */
  env?: Record<string, string>
}

const hostName = 'host.docker.internal'
/** Networks that Docker takes addresses from: webhooks may go to this machine. */
const dockerNetworks = '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8'
const startWithinMs = 120_000

/**
 * Starts PostgreSQL, NATS and the five services, and makes an organization with a token. Nothing is kept. Needs a Docker daemon and
 * the images of the services (`docker compose build` in a checkout).
 */
export async function startQuittance({ env = {} }: QuittanceOptions = {}): Promise<Quittance> {
  const [port] = (await freePorts(1)) as [number]
  const baseUrl = `http://127.0.0.1:${port}`
  const network = await new Network().start()
  const running: StartedTestContainer[] = []
  const keep = async (starting: Promise<StartedTestContainer>) => {
    const container = await starting
    running.push(container)
    return container
  }
  const stop = async () => {
    await Promise.all(running.splice(0).map((container) => container.stop()))
    await network.stop()
  }
  try {
    const operatorUrl = await startEngines(network, keep)
    const shared = { BASE_URL: baseUrl, AUTH_URL: baseUrl, RATE_LIMIT_PER_SECOND: '0', ...secrets(), ...env }
    const starts = serviceNames.map((service) => keep(startServiceContainer(service, { env: shared, network, port })))
    const [webhooks] = (await allOrFirstFault(starts)).slice(serviceNames.indexOf('webhooks')) as [StartedTestContainer]
    const hostAddress = await addressOfHost(webhooks)
    const organization = await makeFirstOrganization(operatorUrl)
    return { ...organization, baseUrl, hostAddress, operatorUrl, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Keep = (starting: Promise<StartedTestContainer>) => Promise<StartedTestContainer>

/** Gives the operator's URL. */
async function startEngines(network: StartedNetwork, keep: Keep): Promise<string> {
  const [postgres, nats] = await allOrFirstFault([keep(startPostgresContainer(network)), keep(startNatsContainer({ network }))])
  const superuser = `postgres://postgres:postgres@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`
  await ensureDatabases(
    superuser,
    serviceNames.filter((name) => name !== 'gateway').map((name) => ({ name, password: name })),
  )
  return `nats://operator:operator@${nats.getHost()}:${nats.getMappedPort(4222)}`
}

interface Place {
  env: Record<string, string>
  network: StartedNetwork
  /** Public port of the gateway on this machine. */
  port: number
}

async function startServiceContainer(service: ServiceName, { env, network, port }: Place): Promise<StartedTestContainer> {
  const image = serviceImage(service)
  const container = new GenericContainer(image)
    .withNetwork(network)
    .withNetworkAliases(service)
    .withExtraHosts([{ host: hostName, ipAddress: 'host-gateway' }])
    .withEnvironment({ ...env, ...addresses(service) })
    .withExposedPorts(9090, ...(service === 'gateway' ? [{ container: 8080, host: port }] : []))
    .withWaitStrategy(Wait.forHttp('/readyz', 9090).withStartupTimeout(startWithinMs))
  try {
    return await container.start()
  } catch (error) {
    throw new Error(`${image} did not start. Is it there? In a checkout of Quittance: docker compose build ${service}`, { cause: error })
  }
}

/** Webhooks go to an address without TLS, never to a name. */
async function addressOfHost(container: StartedTestContainer): Promise<string> {
  const { output } = await container.exec(['getent', 'ahostsv4', hostName])
  return output.split(/\s/)[0] as string
}

function addresses(service: ServiceName): Record<string, string> {
  const nats = { NATS_URL: `nats://${service}:${service}@nats:4222` }
  if (service === 'gateway') return { ...nats, AUTH_HTTP_URL: 'http://auth:9090', INVOICES_HTTP_URL: 'http://invoices:9090' }
  return { ...nats, DATABASE_URL: `postgres://${service}:${service}@postgres:5432/${service}` }
}

function secrets(): Record<string, string> {
  return {
    SECRETS_KEY: randomBytes(32).toString('base64'),
    LINK_SECRET: randomBytes(32).toString('base64'),
    SANDBOX_TEST_CLOCK: 'on',
    WEBHOOK_ALLOWED_CIDRS: dockerNetworks,
  }
}

/** Waits for all even when one fails, so that nothing starts behind the back of a stop. */
async function allOrFirstFault<Promises extends readonly Promise<unknown>[]>(promises: readonly [...Promises]) {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
