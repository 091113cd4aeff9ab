import { expect, test } from 'vitest'
import { serviceEnvironment } from './environment.ts'

const around = {
  given: {
    PATH: '/bin',
    LOG_LEVEL: 'debug',
    RATE_LIMIT_PER_SECOND: '0',
    DATABASE_URL_ORDERS: 'postgres://elsewhere',
    NATS_PASSWORD_ORDERS: 'x',
    PORT: '1',
  },
  origin: 'http://127.0.0.1:8080',
  databaseUrl: { orders: 'postgres://orders', webhooks: 'postgres://webhooks' },
  natsUrl: { gateway: 'nats://g', auth: 'nats://a', orders: 'nats://o', invoices: 'nats://i', webhooks: 'nats://w' },
  invoicesOrigins: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
  authOrigins: ['http://127.0.0.1:3', 'http://127.0.0.1:4'],
  secrets: { databases: { auth: '', orders: '', invoices: '', webhooks: '' }, link: 'link', keys: { auth: 'ka', webhooks: 'kw' } },
  chromium: '/usr/bin/chromium',
  healthPort: 9000,
  port: null,
}

test('a service is told its own database and NATS user and nobody else’s', () => {
  const environment = serviceEnvironment('orders', around)
  expect(environment).toMatchObject({
    DATABASE_URL: 'postgres://orders',
    NATS_URL: 'nats://o',
    HEALTH_PORT: '9000',
    BASE_URL: 'http://127.0.0.1:8080',
  })
  expect(Object.keys(environment).filter((key) => /DATABASE_URL_|NATS_PASSWORD|SECRET|^PORT$/.test(key))).toEqual([])
})

test('settings of the person are passed on', () => {
  expect(serviceEnvironment('gateway', { ...around, port: 8080 })).toMatchObject({
    LOG_LEVEL: 'debug',
    RATE_LIMIT_PER_SECOND: '0',
    PORT: '8080',
    HOST: '127.0.0.1',
  })
})

test('the gateway is told where every process listens that it passes requests on to', () => {
  expect(serviceEnvironment('gateway', around)).toMatchObject({
    INVOICES_HTTP_URL: 'http://127.0.0.1:1,http://127.0.0.1:2',
    AUTH_HTTP_URL: 'http://127.0.0.1:3,http://127.0.0.1:4',
    BASE_URL: 'http://127.0.0.1:8080',
    AUTH_URL: 'http://127.0.0.1:8080',
  })
})

test('auth keeps its key over restarts, unless the person brings one', () => {
  expect(serviceEnvironment('auth', around)).toMatchObject({ SECRETS_KEY: 'ka', HEALTH_PORT: '9000' })
  expect(serviceEnvironment('auth', { ...around, given: { SECRETS_KEY: 'own' } }).SECRETS_KEY).toBe('own')
})

test('webhooks may reach this machine unless the person says where they may go', () => {
  expect(serviceEnvironment('webhooks', around).WEBHOOK_ALLOWED_CIDRS).toBe('127.0.0.0/8')
  const given = { ...around.given, WEBHOOK_ALLOWED_CIDRS: '' }
  expect(serviceEnvironment('webhooks', { ...around, given }).WEBHOOK_ALLOWED_CIDRS).toBe('')
})

test('a public address is respected, a path set by a test runner is not', () => {
  const withBase = (BASE_URL: string) => serviceEnvironment('auth', { ...around, given: { BASE_URL } })
  expect(withBase('https://billing.example.com/')).toMatchObject({
    BASE_URL: 'https://billing.example.com',
    AUTH_URL: 'https://billing.example.com',
  })
  expect(withBase('/')).toMatchObject({ BASE_URL: 'http://127.0.0.1:8080' })
  const given = { BASE_URL: 'https://billing.example.com', AUTH_URL: 'https://login.example.com/' }
  expect(serviceEnvironment('gateway', { ...around, given })).toMatchObject({ AUTH_URL: 'https://login.example.com' })
})
