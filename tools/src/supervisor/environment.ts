import type { BusServiceName, ServiceName } from '@quittance/contracts/services'
import type { BusKeys } from './bus-keys.ts'
import { secretNames, settingsFor, type Secrets } from '../secrets/secret-list.ts'

/** Settings that all services of an instance share. */
export interface InstanceEnvironment {
  /** Environment of the user who starts the instance: its settings take precedence over ours. */
  userEnvironment: NodeJS.ProcessEnv
  /** Address of the first gateway. */
  origin: string
  databaseUrl: Partial<Record<ServiceName, string>>
  natsUrl: Record<BusServiceName, string>
  busKeys: BusKeys
  /** Internal addresses of the processes that serve documents. */
  invoicesOrigins: readonly string[]
  /** Internal addresses of the processes that show the local mailbox. */
  mailOrigins: readonly string[]
  /** Internal addresses of the processes that serve OAuth and the sign-in pages. */
  authOrigins: readonly string[]
  /** Internal addresses of the processes that serve the pages for buyers. */
  storefrontOrigins: readonly string[]
  /** Internal addresses of the gateways, for page services. */
  apiOrigins: readonly string[]
  secrets: Secrets
  chromium: string
  /** Whether endpoints on this machine were requested by name. */
  allowsLoopbackWebhooks: boolean
  /** Requested by name; an https address also needs `SANDBOX_PAYMENTS_OVER_HTTPS`. */
  allowsSandboxPayments: boolean
  /** File with the links of the start page. */
  startLinksFile: string
  /** Ports of engines and services, to which no webhook is sent. */
  internalPorts: readonly number[]
}

interface Place {
  healthPort: number
  /** Public port; gateways only. */
  port: number | null
}

/** Returns the public address of the instance. Paths are ignored, because test runners set `BASE_URL=/` for other purposes. */
export function publicAddresses(
  userEnvironment: NodeJS.ProcessEnv,
  origin: string,
): { baseUrl: string; authUrl: string; pagesUrl: string } {
  const baseUrl =
    !userEnvironment.BASE_URL || userEnvironment.BASE_URL.startsWith('/') ? origin : userEnvironment.BASE_URL.replace(/\/+$/, '')
  const withDefault = (address: string | undefined) => address?.replace(/\/+$/, '') || baseUrl
  return { baseUrl, authUrl: withDefault(userEnvironment.AUTH_URL), pagesUrl: withDefault(userEnvironment.PAGES_URL) }
}

/** Returns the setting of sandbox payments: on for a local start; for a public address only if requested by name. */
function sandboxDefault(baseUrl: string): 'on' | 'off' {
  return baseUrl.startsWith('https:') ? 'off' : 'on'
}

/** Returns whether the sandbox takes payments: as `SANDBOX_PAYMENTS` has it, otherwise the default if it was requested by name. */
export function sandboxPayments(
  userEnvironment: NodeJS.ProcessEnv,
  { baseUrl, isRequested }: { baseUrl: string; isRequested: boolean },
): string {
  return userEnvironment['SANDBOX_PAYMENTS'] ?? (isRequested ? sandboxDefault(baseUrl) : 'off')
}

/** Names that a service would understand differently than the user who set them. */
const notPassedOn = /^(npm_|NATS_PASSWORD_|BUS_KEY|(MIGRATION_)?DATABASE_(URL|PASSWORD_)|NATS_URL$|PORT$|HEALTH_PORT$|HEALTH_HOST$|HOST$)/

/** Returns the environment of one process of a service. */
export function serviceEnvironment(name: ServiceName, { port, healthPort, ...instance }: Place & InstanceEnvironment): NodeJS.ProcessEnv {
  const { userEnvironment, origin, secrets } = instance
  const { baseUrl, authUrl, pagesUrl } = publicAddresses(userEnvironment, origin)
  return {
    ...Object.fromEntries(Object.entries(userEnvironment).filter(([key]) => !notPassedOn.test(key) && !secretNames.has(key))),
    HEALTH_PORT: String(healthPort),
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    PAGES_URL: pagesUrl,
    ...(instance.databaseUrl[name] && { DATABASE_URL: instance.databaseUrl[name] }),
    ...ownSecrets(name),
    ...busSettings(name),
    ...ownSettings(name),
    ...(port !== null && { PORT: String(port), HOST: userEnvironment.HOST ?? '127.0.0.1' }),
  }

  /** A page service is not on the bus. */
  function busSettings(service: ServiceName): NodeJS.ProcessEnv {
    if (service === 'storefront') return {}
    const { natsUrl, busKeys } = instance
    return { NATS_URL: natsUrl[service], BUS_KEY: busKeys.secret[service], BUS_PUBLIC_KEYS: busKeys.publicKeys }
  }

  /** Settings of the user take precedence. */
  function ownSecrets(service: ServiceName): NodeJS.ProcessEnv {
    const own = Object.entries(settingsFor(service, secrets))
    return Object.fromEntries(own.map(([setting, generated]) => [setting, userEnvironment[setting] ?? generated]))
  }

  function ownSettings(service: ServiceName): NodeJS.ProcessEnv {
    const { invoicesOrigins, authOrigins, mailOrigins, storefrontOrigins, apiOrigins, chromium } = instance
    switch (service) {
      case 'gateway':
        return {
          INVOICES_HTTP_URL: invoicesOrigins.join(','),
          AUTH_HTTP_URL: authOrigins.join(','),
          MAIL_HTTP_URL: mailOrigins.join(','),
          STOREFRONT_HTTP_URL: storefrontOrigins.join(','),
        }
      case 'storefront':
        return { API_HTTP_URL: apiOrigins.join(','), START_LINKS_FILE: instance.startLinksFile }
      case 'invoices':
        return { PUPPETEER_EXECUTABLE_PATH: chromium }
      case 'webhooks':
        return {
          WEBHOOK_ALLOWED_CIDRS: userEnvironment.WEBHOOK_ALLOWED_CIDRS ?? (instance.allowsLoopbackWebhooks ? '127.0.0.0/8' : ''),
          WEBHOOK_DENIED_PORTS: [userEnvironment.WEBHOOK_DENIED_PORTS, ...instance.internalPorts].filter(Boolean).join(','),
        }
      case 'orders':
        return {
          SANDBOX_PAYMENTS: sandboxPayments(userEnvironment, { baseUrl, isRequested: instance.allowsSandboxPayments }),
          SANDBOX_TEST_CLOCK: userEnvironment.SANDBOX_TEST_CLOCK ?? 'on',
        }
      default:
        return {}
    }
  }
}
