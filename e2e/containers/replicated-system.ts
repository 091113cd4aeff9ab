import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts, isFree } from '@quittance/testing/engines/free-ports'
import { testBusEnvironment, testBusSettings, testOperatorAccess } from '@quittance/testing/bus'
import { createFirstOrganization, type FirstOrganization } from '@quittance/testing/first-organization'

/** A container of the system. */
export interface RunningContainer {
  id: string
  service: string
  startedAt: string
  user: string
  isReadOnly: boolean
}

/** Two replicas of each service and three NATS servers, as described in `docker-compose.replicated.yml`. */
export interface ReplicatedSystem extends FirstOrganization, AsyncDisposable {
  /** Addresses of the two gateways. */
  gateways: [string, string]
  /** URL of NATS with the credentials of the user `stream`. */
  streamUrl: string
  /** Address at which the containers reach this machine. */
  hostAddress: string
  /** Networks of the NATS servers. */
  natsNetworks: string[]
  containers(): Promise<RunningContainer[]>
  /** Log lines of services that report an internal error (500). */
  internalErrors(): Promise<string[]>
  docker(...args: string[]): Promise<string>
}

const root = join(import.meta.dirname, '../..')
const overlays = ['operator', 'replicated', 'replicated-operator'].flatMap((name) => ['-f', `docker-compose.${name}.yml`])
const project = `quittance-test-${process.pid}`
const run = promisify(execFile)

/** Builds changed images, starts all containers and waits until they are healthy. */
export async function startReplicatedSystem(): Promise<ReplicatedSystem> {
  const [nats, nats2, nats3, postgres] = (await freePorts(4)) as [number, number, number, number]
  const port = await findFreePortPair()
  const env = {
    ...process.env,
    COMPOSE_PROJECT_NAME: project,
    PORT: String(port),
    PORT_2: String(port + 1),
    NATS_PORT: String(nats),
    NATS_2_PORT: String(nats2),
    NATS_3_PORT: String(nats3),
    POSTGRES_PORT: String(postgres),
    BASE_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_PER_SECOND: '0',
    ...testBusEnvironment(),
    BUS_PUBLIC_KEYS: testBusSettings('operator').BUS_PUBLIC_KEYS,
    SANDBOX_PAYMENTS: 'on',
    WEBHOOK_ALLOWED_CIDRS: '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8',
    LOG_LEVEL: 'warn',
    // Leases of a broken replica expire sooner than in production; the mechanisms are the same.
    JOB_LEASE_MS: '4000',
  }
  const docker = async (...args: string[]) => (await run('docker', args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
  const compose = (...args: string[]) => docker('compose', '-f', 'docker-compose.yml', ...overlays, ...args)
  const stop = async () => void (await compose('down', '--volumes', '--timeout', '5'))
  try {
    await compose('up', '--wait', '--build', '--quiet-pull')
    const operatorUrl = `nats://operator:${process.env['NATS_PASSWORD_OPERATOR']}@127.0.0.1:${nats},127.0.0.1:${nats2},127.0.0.1:${nats3}`
    return {
      ...(await createFirstOrganization(testOperatorAccess(operatorUrl))),
      gateways: [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`],
      streamUrl: operatorUrl.replace(/operator:[^@]*/, `stream:${process.env['NATS_PASSWORD_STREAM']}`),
      hostAddress: (await compose('exec', 'webhooks', 'getent', 'ahostsv4', 'host.docker.internal')).split(/\s/)[0] as string,
      natsNetworks: [`${project}_bus`, `${project}_operator`],
      docker,
      containers: () => listContainers(docker),
      internalErrors: async () =>
        (await compose('logs', '--no-color', '--no-log-prefix')).split('\n').filter((line) => line.includes('"status":500')),
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    const logs = await compose('logs', '--tail', '15', '--no-color').catch(String)
    await stop()
    throw new Error(`The system did not start:\n${logs}`, { cause: error })
  }
}

/** Returns a port whose successor is free too: Compose gives the second replica the next port. */
async function findFreePortPair(): Promise<number> {
  for (;;) {
    const [port] = (await freePorts(1)) as [number]
    if (await isFree(port + 1)) return port
  }
}

interface Inspected {
  Id: string
  State: { StartedAt: string }
  Config: { User: string; Labels: Record<string, string> }
  HostConfig: { ReadonlyRootfs: boolean }
}

async function listContainers(docker: ReplicatedSystem['docker']): Promise<RunningContainer[]> {
  const ids = (await docker('ps', '--quiet', '--filter', `label=com.docker.compose.project=${project}`)).split('\n')
  const inspected = JSON.parse(await docker('inspect', ...ids)) as Inspected[]
  return inspected.map(({ Id, State, Config, HostConfig }) => ({
    id: Id,
    service: Config.Labels['com.docker.compose.service'] ?? '',
    startedAt: State.StartedAt,
    user: Config.User,
    isReadOnly: HostConfig.ReadonlyRootfs,
  }))
}
