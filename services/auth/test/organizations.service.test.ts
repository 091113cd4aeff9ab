import { randomUUID } from 'node:crypto'
import { createAccount } from '@quittance/contracts/accounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  createOrganization,
  getOrganization,
  listOrganizations,
  organizationCreated,
  organizationUpdated,
  updateOrganization,
} from '@quittance/contracts/organizations'
import { organizationCaller, userCaller } from '@quittance/testing/callers'
import { startTestService } from '@quittance/testing/harness'
import { expect, test } from 'vitest'
import { auth } from '../src/service.ts'

async function startWithPerson() {
  const service = await startTestService(auth)
  const { id } = await service.call(createAccount, { email: 'ada@example.com', password: 'correct horse' }, { kind: 'operator' })
  return { service, person: userCaller({ userId: id, organizationIds: [] }) }
}

test('creates an organization with its first member and publishes it', async () => {
  const { service, person } = await startWithPerson()
  await using auth = service
  const organization = await auth.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, person)
  expect(await auth.nextEvent(organizationCreated)).toEqual(organization)
  expect(await auth.rows('select organization_id from members')).toEqual([{ organization_id: organization.id }])
  expect(await auth.call(getOrganization, { id: organization.id }, organizationCaller(organization.id))).toEqual(organization)
})

test.each(['checkout', 'mailbox', 'oauth2', 'docs'])(
  'a new organization cannot have the slug %s, an address of the system [pages 4]',
  async (slug) => {
    const { service, person } = await startWithPerson()
    await using auth = service
    const creation = auth.call(createOrganization, { name: 'Acme Books', slug }, person)
    await expect(creation).rejects.toThrow(RequestValidationError)
    await expect(creation).rejects.toThrow('reserved')
  },
)

test('a slug is unique', async () => {
  const { service, person } = await startWithPerson()
  await using auth = service
  await auth.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, person)
  await expect(auth.call(createOrganization, { name: 'Other', slug: 'acme-books' }, person)).rejects.toThrow(RequestValidationError)
  expect(await auth.rows('select from organizations')).toHaveLength(1)
})

test('publishes a change and keeps the absent fields', async () => {
  const { service, person } = await startWithPerson()
  await using auth = service
  const { id } = await auth.call(createOrganization, { name: 'Acme Books', slug: 'acme-books', website: 'https://acme.example' }, person)
  const changed = await auth.call(updateOrganization, { id, name: 'Acme & Sons' }, organizationCaller(id))
  expect(changed).toMatchObject({ name: 'Acme & Sons', website: 'https://acme.example', slug: 'acme-books' })
  expect(await auth.nextEvent(organizationUpdated)).toEqual(changed)
})

test('keeps links for pages that are absent in a change, removes those that are null, and rejects other schemes', async () => {
  const { service, person } = await startWithPerson()
  await using auth = service
  const { id, page_settings: none } = await auth.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, person)
  expect(none).toEqual({ terms_url: null, privacy_url: null, imprint_url: null, embed_origins: [], return_origins: [] })
  const change = (page_settings: object) => auth.call(updateOrganization, { id, page_settings }, organizationCaller(id))
  await change({ terms_url: 'https://acme.example/terms', privacy_url: 'https://acme.example/privacy' })
  await change({ return_origins: ['https://acme.example'] })
  const { page_settings: changed } = await change({ privacy_url: null, imprint_url: 'https://acme.example/imprint' })
  expect(changed).toEqual({
    terms_url: 'https://acme.example/terms',
    privacy_url: null,
    imprint_url: 'https://acme.example/imprint',
    embed_origins: [],
    return_origins: ['https://acme.example'],
  })
  for (const terms_url of ['javascript:alert(1)', 'data:text/html,x', '/terms']) {
    await expect(change({ terms_url })).rejects.toMatchObject({ status: 422 })
  }
  for (const origin of ['https://acme.example/account', 'acme.example', '*']) {
    await expect(change({ return_origins: [origin] })).rejects.toMatchObject({ status: 422 })
  }
  expect((await auth.call(getOrganization, { id }, organizationCaller(id))).page_settings).toEqual(changed)
})

test('returns 404 for an organization that is not the caller’s', async () => {
  const { service, person } = await startWithPerson()
  await using auth = service
  const { id } = await auth.call(createOrganization, { name: 'Acme Books', slug: 'acme-books' }, person)
  const stranger = organizationCaller(randomUUID())
  await expect(auth.call(getOrganization, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(auth.call(updateOrganization, { id, name: 'Mine' }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await auth.call(listOrganizations, {}, stranger)).items).toEqual([])
  expect((await auth.call(listOrganizations, { slug: 'acme-books' }, organizationCaller(id))).items).toHaveLength(1)
})
