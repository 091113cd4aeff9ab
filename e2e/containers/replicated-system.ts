import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts, isFree } from '@quittance/testing/engines/free-ports'
import { makeFirstOrganization, type FirstOrganization } from '@quittance/testing/first-organization'

/** A container of the system. */
export interface RunningContainer {
  id: string
  service: string
  startedAt: string
  user: string
  isReadOnly: boolean
}

/** Two of each service and three NATS servers, as `docker-compose.replicated.yml` describes them. */
export interface ReplicatedSystem extends FirstOrganization, AsyncDisposable {
  /** Addresses of the two gateways. */
  gateways: [string, string]
  /** All three NATS servers with the operator's credentials. */
  operatorUrl: string
  /** Where the containers reach this machine. */
  hostAddress: string
  /** Name of the network all containers are in. */
  network: string
  containers(): Promise<RunningContainer[]>
  /** Log lines of services that tell of a fault of theirs (500). */
  faults(): Promise<string[]>
  docker(...args: string[]): Promise<string>
}

const root = join(import.meta.dirname, '../..')
const project = `quittance-test-${process.pid}`
const run = promisify(execFile)

/** Builds what has changed, starts everything and waits until it is healthy. */
export async function startReplicatedSystem(): Promise<ReplicatedSystem> {
  const [nats, nats2, nats3, postgres] = (await freePorts(4)) as [number, number, number, number]
  const port = await twoFreePorts()
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
    WEBHOOK_ALLOWED_CIDRS: '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8',
    LOG_LEVEL: 'warn',
    // What a broken replica held is taken over sooner than in production; the mechanisms are the same.
    JOB_LEASE_MS: '4000',
  }
  const docker = async (...args: string[]) => (await run('docker', args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
  const compose = (...args: string[]) => docker('compose', '-f', 'docker-compose.yml', '-f', 'docker-compose.replicated.yml', ...args)
  const stop = async () => void (await compose('down', '--volumes', '--timeout', '5'))
  try {
    await compose('up', '--wait', '--build', '--quiet-pull')
    const operatorUrl = `nats://operator:development@127.0.0.1:${nats},127.0.0.1:${nats2},127.0.0.1:${nats3}`
    return {
      ...(await makeFirstOrganization(operatorUrl)),
      gateways: [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`],
      operatorUrl,
      hostAddress: (await compose('exec', 'webhooks', 'getent', 'ahostsv4', 'host.docker.internal')).split(/\s/)[0] as string,
      network: `${project}_default`,
      docker,
      containers: () => containers(docker),
      faults: async () =>
        (await compose('logs', '--no-color', '--no-log-prefix')).split('\n').filter((line) => line.includes('"status":500')),
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    const logs = await compose('logs', '--tail', '15', '--no-color').catch(String)
    await stop()
    throw new Error(`The system did not start:\n${logs}`, { cause: error })
  }
}

/** Compose gives the second replica the next port. */
async function twoFreePorts(): Promise<number> {
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

async function containers(docker: ReplicatedSystem['docker']): Promise<RunningContainer[]> {
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
