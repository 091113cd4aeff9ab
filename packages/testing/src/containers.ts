import { natsConfig, quote } from './engines/nats-config.ts'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { images } from './images.ts'
import { natsAccounts, type TestServers } from './test-servers.ts'

/** Whether a Docker daemon answers here. */
export async function dockerAnswers(): Promise<boolean> {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  )
}

/** The same servers as containers. Data are in memory: nobody will miss them. */
export async function startContainers(): Promise<TestServers> {
  const [postgres, nats] = await Promise.all([startPostgresContainer(), startNatsContainer()])
  return {
    postgresUrl: `postgres://postgres:postgres@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    natsHost: `${nats.getHost()}:${nats.getMappedPort(4222)}`,
    async stop() {
      await Promise.all([postgres.stop(), nats.stop()])
    },
  }
}

function startPostgresContainer() {
  return new GenericContainer(images.postgres)
    .withEnvironment({ POSTGRES_PASSWORD: 'postgres', POSTGRES_INITDB_ARGS: '--no-sync' })
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start()
}

function startNatsContainer() {
  const config = natsConfig({
    listen: '0.0.0.0:4222',
    monitor: '0.0.0.0:8222',
    storeDir: '/tmp/jetstream',
    passwordOf: (user) => quote(user),
    testAccounts: natsAccounts,
  })
  return new GenericContainer(images.nats)
    .withCopyContentToContainer([{ content: config, target: '/tmp/nats.conf' }])
    .withCommand(['-c', '/tmp/nats.conf'])
    .withExposedPorts(4222)
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start()
}
