import { expect, test } from 'vitest'
import { serviceEnvironment } from './environment.ts'

const instance = {
  userEnvironment: {
    PATH: '/bin',
    LOG_LEVEL: 'debug',
    RATE_LIMIT_PER_SECOND: '0',
    DATABASE_URL_ORDERS: 'postgres://elsewhere',
    MIGRATION_DATABASE_URL_ORDERS: 'postgres://owner@elsewhere',
    NATS_PASSWORD_ORDERS: 'x',
    LINK_SECRET: 'of invoices',
    PORT: '1',
  },
  origin: 'http://127.0.0.1:8080',
  databaseUrl: { orders: 'postgres://orders', webhooks: 'postgres://webhooks' },
  natsUrl: {
    gateway: 'nats://g',
    auth: 'nats://a',
    orders: 'nats://o',
    invoices: 'nats://i',
    webhooks: 'nats://w',
    mail: 'nats://m',
    usage: 'nats://u',
    provisioner: 'nats://p',
  },
  busKeys: {
    secret: {
      gateway: 'bg',
      auth: 'ba',
      orders: 'bo',
      invoices: 'bi',
      webhooks: 'bw',
      mail: 'bm',
      usage: 'bu',
      provisioner: 'bp',
      operator: 'bx',
    },
    publicKeys: 'public',
  },
  invoicesOrigins: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
  authOrigins: ['http://127.0.0.1:3', 'http://127.0.0.1:4'],
  storefrontOrigins: ['http://127.0.0.1:5'],
  apiOrigins: ['http://127.0.0.1:8080'],
  mailOrigins: ['http://127.0.0.1:6'],
  secrets: { LINK_SECRET: 'link', SECRETS_KEY_AUTH: 'ka', SECRETS_KEY_WEBHOOKS: 'kw', MIGRATION_DATABASE_PASSWORD_ORDERS: 'm' },
  chromium: '/usr/bin/chromium',
  allowsLoopbackWebhooks: false,
  allowsSandboxPayments: false,
  startLinksFile: '/data/start-links.json',
  internalPorts: [4222, 5432],
  healthPort: 9000,
  port: null,
}

test('passes a service its own database and NATS user and those of no other', () => {
  const environment = serviceEnvironment('orders', instance)
  expect(environment).toMatchObject({
    DATABASE_URL: 'postgres://orders',
    NATS_URL: 'nats://o',
    HEALTH_PORT: '9000',
    BASE_URL: 'http://127.0.0.1:8080',
  })
  expect(Object.keys(environment).filter((key) => /DATABASE_URL_|MIGRATION|PASSWORD|SECRET|^PORT$/.test(key))).toEqual([])
})

test('enables sandbox payments only if requested by name, and not for a public address', () => {
  expect(serviceEnvironment('orders', instance)).toMatchObject({ SANDBOX_PAYMENTS: 'off' })
  const allowing = { ...instance, allowsSandboxPayments: true }
  expect(serviceEnvironment('orders', allowing)).toMatchObject({ SANDBOX_PAYMENTS: 'on' })
  const userEnvironment = { ...instance.userEnvironment, BASE_URL: 'https://billing.example.com' }
  expect(serviceEnvironment('orders', { ...allowing, userEnvironment })).toMatchObject({ SANDBOX_PAYMENTS: 'off' })
  const requested = { ...userEnvironment, SANDBOX_PAYMENTS: 'on' }
  expect(serviceEnvironment('orders', { ...instance, userEnvironment: requested })).toMatchObject({ SANDBOX_PAYMENTS: 'on' })
})

test('passes on settings of the user', () => {
  expect(serviceEnvironment('gateway', { ...instance, port: 8080 })).toMatchObject({
    LOG_LEVEL: 'debug',
    RATE_LIMIT_PER_SECOND: '0',
    PORT: '8080',
    HOST: '127.0.0.1',
  })
})

test('passes the gateway the addresses of every upstream process', () => {
  expect(serviceEnvironment('gateway', instance)).toMatchObject({
    INVOICES_HTTP_URL: 'http://127.0.0.1:1,http://127.0.0.1:2',
    AUTH_HTTP_URL: 'http://127.0.0.1:3,http://127.0.0.1:4',
    BASE_URL: 'http://127.0.0.1:8080',
    AUTH_URL: 'http://127.0.0.1:8080',
  })
})

test('keeps the key of auth over restarts, unless the user provides one', () => {
  expect(serviceEnvironment('auth', instance)).toMatchObject({ SECRETS_KEY: 'ka', HEALTH_PORT: '9000' })
  expect(serviceEnvironment('auth', { ...instance, userEnvironment: { SECRETS_KEY: 'own' } }).SECRETS_KEY).toBe('own')
})

test('blocks webhooks to this machine unless requested by name, and always to engines and services', () => {
  expect(serviceEnvironment('webhooks', instance)).toMatchObject({ WEBHOOK_ALLOWED_CIDRS: '', WEBHOOK_DENIED_PORTS: '4222,5432' })
  const allowing = { ...instance, allowsLoopbackWebhooks: true }
  expect(serviceEnvironment('webhooks', allowing)).toMatchObject({
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_DENIED_PORTS: '4222,5432',
  })
  const userEnvironment = { ...instance.userEnvironment, WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8', WEBHOOK_DENIED_PORTS: '9' }
  expect(serviceEnvironment('webhooks', { ...allowing, userEnvironment })).toMatchObject({
    WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8',
    WEBHOOK_DENIED_PORTS: '9,4222,5432',
  })
})

test('uses a public address and ignores a path set by a test runner', () => {
  const withBase = (BASE_URL: string) => serviceEnvironment('auth', { ...instance, userEnvironment: { BASE_URL } })
  expect(withBase('https://billing.example.com/')).toMatchObject({
    BASE_URL: 'https://billing.example.com',
    AUTH_URL: 'https://billing.example.com',
  })
  expect(withBase('/')).toMatchObject({ BASE_URL: 'http://127.0.0.1:8080' })
  const userEnvironment = { BASE_URL: 'https://billing.example.com', AUTH_URL: 'https://login.example.com/' }
  expect(serviceEnvironment('gateway', { ...instance, userEnvironment })).toMatchObject({ AUTH_URL: 'https://login.example.com' })
})

test('a page service gets neither NATS nor a database [pages 7]', () => {
  const secrets = { ...instance.secrets, SECRETS_KEY_STOREFRONT: 'ks', PAGES_KEY: 'kp' }
  const environment = serviceEnvironment('storefront', { ...instance, secrets })
  expect(Object.keys(environment).filter((key) => /NATS|BUS|DATABASE/.test(key))).toEqual([])
  expect(environment).toMatchObject({ API_HTTP_URL: 'http://127.0.0.1:8080', SECRETS_KEY: 'ks', PAGES_KEY: 'kp' })
})
