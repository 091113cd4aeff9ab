import { natsConfig, quote } from './engines/nats-config.ts'
import { GenericContainer, getContainerRuntimeClient, Wait, type StartedNetwork } from 'testcontainers'
import { images } from './images.ts'
import { maxNatsAccounts, type TestServers } from './test-servers.ts'

/** Whether a Docker daemon is available. */
export async function isDockerAvailable(): Promise<boolean> {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

/** Starts the same servers as containers. Data are in memory only. */
export async function startContainers(): Promise<TestServers> {
  const [postgres, nats] = await Promise.all([startPostgresContainer(), startNatsContainer({ testAccounts: maxNatsAccounts })])
  return {
    postgresUrl: `postgres://postgres:postgres@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    natsHost: `${nats.getHost()}:${nats.getMappedPort(4222)}`,
    async stop() {
      await Promise.all([postgres.stop(), nats.stop()])
    },
  }
}

/** Starts PostgreSQL with superuser and password `postgres` and the network alias `postgres`. */
export function startPostgresContainer(network?: StartedNetwork) {
  const container = new GenericContainer(images.postgres)
    .withEnvironment({ POSTGRES_PASSWORD: 'postgres', POSTGRES_INITDB_ARGS: '--no-sync' })
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
  if (network) container.withNetwork(network).withNetworkAliases('postgres')
  return container.start()
}

/** Starts nats-server; each user's password is its name, the network alias is `nats`. */
export function startNatsContainer({ network, testAccounts = 0 }: { network?: StartedNetwork; testAccounts?: number }) {
  const config = natsConfig({
    listen: '0.0.0.0:4222',
    monitor: '0.0.0.0:8222',
    storeDir: '/tmp/jetstream',
    passwordOf: (user) => quote(user),
    testAccounts,
  })
  const container = new GenericContainer(images.nats)
    .withCopyContentToContainer([{ content: config, target: '/tmp/nats.conf' }])
    .withCommand(['-c', '/tmp/nats.conf'])
    .withExposedPorts(4222)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
  if (network) container.withNetwork(network).withNetworkAliases('nats')
  return container.start()
}
