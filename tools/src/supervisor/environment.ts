import type { ServiceName } from '@quittance/contracts/services'
import type { Secrets } from './secrets.ts'

/** What all services of an instance share. */
export interface Surroundings {
  /** Environment of the person who starts: given settings win over ours. */
  given: NodeJS.ProcessEnv
  /** Address of the first gateway. */
  origin: string
  databaseUrl: Partial<Record<ServiceName, string>>
  natsUrl: Record<ServiceName, string>
  /** Internal addresses of the processes that serve documents. */
  invoicesOrigins: readonly string[]
  /** Internal addresses of the processes that serve OAuth and the sign-in pages. */
  authOrigins: readonly string[]
  secrets: Secrets
  chromium: string
}

interface Place {
  healthPort: number
  /** Public port; gateways only. */
  port: number | null
}

/** Public address of the instance. A path is not one: test runners set `BASE_URL=/` for purposes of their own. */
export function publicAddresses(given: NodeJS.ProcessEnv, origin: string): { baseUrl: string; authUrl: string } {
  const baseUrl = !given.BASE_URL || given.BASE_URL.startsWith('/') ? origin : given.BASE_URL.replace(/\/+$/, '')
  return { baseUrl, authUrl: given.AUTH_URL?.replace(/\/+$/, '') || baseUrl }
}

/** Names that would mean something else to a service than to the person who set them. */
const notPassedOn = /^(npm_|NATS_PASSWORD_|DATABASE_URL|NATS_URL$|PORT$|HEALTH_PORT$|HEALTH_HOST$|HOST$)/

/** The environment of one process of a service. */
export function serviceEnvironment(name: ServiceName, { port, healthPort, ...around }: Place & Surroundings): NodeJS.ProcessEnv {
  const { given, origin, secrets } = around
  const { baseUrl, authUrl } = publicAddresses(given, origin)
  return {
    ...Object.fromEntries(Object.entries(given).filter(([key]) => !notPassedOn.test(key))),
    NATS_URL: around.natsUrl[name],
    HEALTH_PORT: String(healthPort),
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    ...(around.databaseUrl[name] && { DATABASE_URL: around.databaseUrl[name] }),
    ...ownSettings(name, around),
    ...(port !== null && { PORT: String(port), HOST: given.HOST ?? '127.0.0.1' }),
  }

  function ownSettings(service: ServiceName, { invoicesOrigins, authOrigins, chromium }: Surroundings): NodeJS.ProcessEnv {
    switch (service) {
      case 'gateway':
        return { INVOICES_HTTP_URL: invoicesOrigins.join(','), AUTH_HTTP_URL: authOrigins.join(',') }
      case 'auth':
        return { SECRETS_KEY: given.SECRETS_KEY ?? secrets.keys.auth }
      case 'invoices':
        return { LINK_SECRET: given.LINK_SECRET ?? secrets.link, PUPPETEER_EXECUTABLE_PATH: chromium }
      case 'webhooks':
        return {
          SECRETS_KEY: given.SECRETS_KEY ?? secrets.keys.webhooks,
          WEBHOOK_ALLOWED_CIDRS: given.WEBHOOK_ALLOWED_CIDRS ?? '127.0.0.0/8',
        }
      case 'orders':
        return { SANDBOX_TEST_CLOCK: given.SANDBOX_TEST_CLOCK ?? 'on' }
    }
  }
}
