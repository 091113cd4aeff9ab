/**
 * `npm run test:compose`: runs `docker compose up --wait`, then the demo and the e2e tests against it, then removes everything. Arguments
 * go to vitest: `npm run test:compose -- e2e/official-client`.
 */
import { spawnSync } from 'node:child_process'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { busKey, generateMissing, natsPassword, secretList } from './secrets/secret-list.ts'
import { resolveArguments, resolveProgram } from './resolve-program.ts'

const [port, natsPort, postgresPort] = (await freePorts(3)) as [number, number, number]
const origin = `http://127.0.0.1:${port}`
const secrets = generateMissing({}, secretList)
const operator = `nats://operator:${secrets[natsPassword('operator')]}@127.0.0.1:${natsPort}`

const settings = {
  ...secrets,
  COMPOSE_FILE: 'docker-compose.yml:docker-compose.operator.yml',
  COMPOSE_PROJECT_NAME: `quittance-e2e-${process.pid}`,
  PORT: String(port),
  NATS_PORT: String(natsPort),
  POSTGRES_PORT: String(postgresPort),
  BASE_URL: origin,
  // API and pages at two origins, as in production.
  AUTH_URL: `http://localhost:${port}`,
  RATE_LIMIT_PER_SECOND: '0',
  SANDBOX_PAYMENTS: 'on',
  SANDBOX_TEST_CLOCK: 'on',
  // Allows webhooks to this machine: Docker takes its addresses from these networks.
  WEBHOOK_ALLOWED_CIDRS: '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8',
  LOG_LEVEL: 'warn',
}

/** Runs a command and shows its output. Returns false if it fails. */
function run(program: string, args: readonly string[], env: Record<string, string>): boolean {
  const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  return status === 0
}

const compose = (...args: string[]) => run('docker', ['compose', ...args], settings)

/** Returns the address of this machine as seen by containers. */
function ownAddress(): string {
  const args = ['compose', 'exec', 'webhooks', 'getent', 'ahostsv4', 'host.docker.internal']
  const { stdout } = spawnSync('docker', args, { env: { ...process.env, ...settings }, encoding: 'utf8' })
  return stdout.split(/\s/)[0] as string
}

/** Keys that sign the operator's requests. */
const operatorKeys = { BUS_KEY: secrets[busKey('operator')] as string, BUS_PUBLIC_KEYS: secrets['BUS_PUBLIC_KEYS'] as string }

function demo(): boolean {
  const restart = 'docker compose restart gateway auth orders invoices webhooks provisioner storefront && docker compose up --wait'
  const args = ['tools/src/demo.ts', '--nats', operator, '--origin', origin, '--own-address', ownAddress(), '--restart', restart]
  return run(process.execPath, args, { ...settings, ...operatorKeys })
}

function tests(): boolean {
  const args = resolveArguments('vitest', ['run', '--project', 'e2e', ...process.argv.slice(2)])
  return run(resolveProgram('vitest'), args, {
    E2E_BASE_URL: origin,
    E2E_AUTH_URL: settings.AUTH_URL,
    E2E_NATS_URL: operator,
    E2E_STREAM_URL: `nats://stream:${secrets[natsPassword('stream')]}@127.0.0.1:${natsPort}`,
    ...operatorKeys,
    E2E_POSTGRES_URL: `postgres://postgres:${secrets['POSTGRES_PASSWORD']}@127.0.0.1:${postgresPort}/postgres`,
    E2E_OWN_ADDRESS: ownAddress(),
  })
}

const passed = compose('up', '--wait') && demo() && tests()
if (!passed) compose('logs', '--tail', '20')
compose('down', '--volumes', '--timeout', '5')
process.exit(passed ? 0 : 1)
