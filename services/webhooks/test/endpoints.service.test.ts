import { randomUUID } from 'node:crypto'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  maskedSecret,
  updateWebhookEndpoint,
} from '@quittance/contracts/webhooks'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startWebhooks } from './start-webhooks.ts'

const url = 'https://example.com/hook'
const stranger = organizationCaller(randomUUID())

test('returns a generated secret once, never on reads, and stores it encrypted', async () => {
  await using webhooks = await startWebhooks()
  const { secret, ...created } = await webhooks.endpoint({ url, events: ['order.paid'] })
  expect(secret).toMatch(/^whsec_/)
  expect(created).toMatchObject({ url, format: 'raw', events: ['order.paid'], organization_id: webhooks.organizationId, modified_at: null })
  const shown = { ...created, secret: maskedSecret }
  expect(await webhooks.call(getWebhookEndpoint, { id: created.id }, webhooks.caller)).toEqual(shown)
  const list = await webhooks.call(listWebhookEndpoints, {}, webhooks.caller)
  expect(list).toEqual({ items: [shown], pagination: { total_count: 1, max_page: 1 } })
  const [stored] = await webhooks.rows<{ row: string }>('select e::text as row from webhook_endpoints e')
  expect(stored?.row).toContain('aes-256-gcm$')
  expect(stored?.row).not.toContain(secret.slice('whsec_'.length))
})

test('accepts a secret of the caller unchanged', async () => {
  await using webhooks = await startWebhooks()
  expect(await webhooks.endpoint({ url, secret: 'hunter2' })).toMatchObject({ secret: 'hunter2' })
})

test('rejects a URL that is not an allowed destination and writes nothing', async () => {
  await using webhooks = await startWebhooks()
  const { id } = await webhooks.endpoint({ url })
  for (const rejectedUrl of [
    'http://example.com/',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://user:secret@example.com/',
    'https://[::1]/',
  ]) {
    const creation = webhooks.call(createWebhookEndpoint, { url: rejectedUrl, events: ['order.paid'] }, webhooks.caller)
    await expect(creation).rejects.toMatchObject({
      name: 'RequestValidationError',
      body: { detail: [{ loc: ['body', 'url'], type: 'value_error' }] },
    })
    await expect(webhooks.call(updateWebhookEndpoint, { id, url: rejectedUrl, events: ['order.paid'] }, webhooks.caller)).rejects.toThrow(
      RequestValidationError,
    )
  }
  const { items } = await webhooks.call(listWebhookEndpoints, {}, webhooks.caller)
  expect(items).toMatchObject([{ url, events: ['order.created', 'order.updated', 'order.paid'], modified_at: null }])
})

test('changes only the given properties; null changes nothing', async () => {
  await using webhooks = await startWebhooks()
  const { id } = await webhooks.endpoint({ url, events: ['order.paid'] })
  const unchanged = await webhooks.call(updateWebhookEndpoint, { id, url: null, events: null, secret: null }, webhooks.caller)
  expect(unchanged).toMatchObject({ url, events: ['order.paid'] })
  const moved = await webhooks.call(updateWebhookEndpoint, { id, url: 'https://example.org/', secret: 'another' }, webhooks.caller)
  expect(moved).toMatchObject({ url: 'https://example.org/', events: ['order.paid'] })
  expect(moved.modified_at).not.toBeNull()
  expect(moved).toMatchObject({ secret: maskedSecret })
})

test('the mask of a secret never becomes a secret', async () => {
  await using webhooks = await startWebhooks()
  const { id } = await webhooks.endpoint({ url })
  const stored = () => webhooks.rows('select sealed_secret from webhook_endpoints')
  const before = await stored()
  const read = await webhooks.call(getWebhookEndpoint, { id }, webhooks.caller)
  await webhooks.call(updateWebhookEndpoint, { id, secret: read.secret }, webhooks.caller)
  expect(await stored()).toEqual(before)
  await expect(webhooks.endpoint({ url, secret: maskedSecret })).rejects.toThrow(RequestValidationError)
})

test('returns 404 for a deleted endpoint in every operation and erases its secret', async () => {
  await using webhooks = await startWebhooks()
  const { id } = await webhooks.endpoint({ url })
  expect(await webhooks.call(deleteWebhookEndpoint, { id }, webhooks.caller)).toBeNull()
  for (const operation of [getWebhookEndpoint, updateWebhookEndpoint, deleteWebhookEndpoint]) {
    await expect(webhooks.call(operation, { id }, webhooks.caller)).rejects.toThrow(ResourceNotFound)
  }
  expect(await webhooks.call(listWebhookEndpoints, {}, webhooks.caller)).toMatchObject({ items: [], pagination: { total_count: 0 } })
  expect(await webhooks.rows('select from webhook_endpoints where sealed_secret is not null')).toHaveLength(0)
})

test('hides an endpoint from other organizations and rejects their changes', async () => {
  await using webhooks = await startWebhooks()
  const { id, secret: _, ...endpoint } = await webhooks.endpoint({ url })
  for (const operation of [getWebhookEndpoint, deleteWebhookEndpoint]) {
    await expect(webhooks.call(operation, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  }
  await expect(webhooks.call(updateWebhookEndpoint, { id, url: 'https://evil.example/' }, stranger)).rejects.toThrow(ResourceNotFound)
  expect(await webhooks.call(listWebhookEndpoints, { organization_id: webhooks.organizationId }, stranger)).toMatchObject({ items: [] })
  expect(await webhooks.call(getWebhookEndpoint, { id }, webhooks.caller)).toEqual({ id, ...endpoint, secret: maskedSecret })
})

test('requires the organization from a user and rejects it from an organization token', async () => {
  await using webhooks = await startWebhooks()
  const { organizationId } = webhooks
  const person = userCaller({ userId: randomUUID(), organizationIds: [organizationId] })
  const create = (organization_id: string | null, caller = person) =>
    webhooks.call(createWebhookEndpoint, { url, events: ['order.paid'], organization_id }, caller)
  expect(await create(organizationId)).toMatchObject({ organization_id: organizationId })
  await expect(create(null)).rejects.toThrow(RequestValidationError)
  await expect(create(randomUUID())).rejects.toThrow(RequestValidationError)
  await expect(create(organizationId, webhooks.caller)).rejects.toThrow(RequestValidationError)
})
