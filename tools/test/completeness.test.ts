import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { auth } from '@quittance/auth/service'
import { operations } from '@quittance/contracts/registry'
import { serviceNames } from '@quittance/contracts/services'
import { deadLetterHandlers } from '@quittance/runtime/internal/messaging/dead-letters'
import { invoices } from '@quittance/invoices/service'
import { mail } from '@quittance/mail/service'
import { orders } from '@quittance/orders/service'
import { usage } from '@quittance/usage/service'
import { webhooks } from '@quittance/webhooks/service'

const services = [auth, orders, invoices, webhooks, mail, usage]
const root = join(import.meta.dirname, '../..')

test('every operation of the contracts has a handler in its owner, and in no other service', () => {
  const answered = services.flatMap(({ name, handlers = [], consumers = [] }) => {
    // The runtime handles these for every service that consumes events.
    const chassis = deadLetterHandlers({
      service: name,
      consumers,
      database: null as never,
      identity: null as never,
      acceptsUnsigned: false,
    })
    return [...handlers, ...chassis].map(({ operation }) => `${name}: ${operation.subject}`)
  })
  expect(answered.toSorted()).toEqual(operations.map(({ subject }) => `${subject.split('.')[0]}: ${subject}`).toSorted())
})

test('every POST and PATCH is a command or staged, so that it honours an Idempotency-Key', () => {
  const others = services
    .flatMap(({ handlers }) => handlers ?? [])
    .filter(({ kind, operation: { http } }) => kind === 'query' && (http?.method === 'POST' || http?.method === 'PATCH'))
  expect(others.map(({ operation }) => operation.subject)).toEqual([])
})

test('every service has the same layout', () => {
  for (const name of serviceNames) {
    const files = readdirSync(join(root, 'services', name, 'src'))
    expect(files).toEqual(
      expect.arrayContaining([
        'main.ts',
        'service.ts',
        'config.ts',
        ...(['gateway', 'provisioner', 'storefront'].includes(name) ? [] : ['database.ts', 'migrations']),
      ]),
    )
    const readme = readFileSync(join(root, 'services', name, 'README.md'), 'utf8')
    for (const heading of ['Owns', 'Does not own', 'Operations', 'Events', 'Failure modes']) expect(readme).toContain(`## ${heading}`)
  }
})

test('every decision record is in the index', () => {
  const folder = join(root, 'docs/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  for (const file of readdirSync(folder).filter((name) => name !== 'README.md')) expect(index).toContain(`(${file})`)
})

test('the ORM and every pinned package have one exact version', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const versions = Object.entries(lock.packages as Record<string, { version?: string }>).filter(([path]) =>
    /^node_modules\/@mikro-orm\/[^/]+$/.test(path),
  )
  expect(new Set(versions.map(([, { version }]) => version)).size).toBe(1)
  expect(Object.keys(lock.packages).filter((path) => path.endsWith('node_modules/zod'))).toEqual([
    'e2e/node_modules/zod',
    'node_modules/zod',
  ])
})
