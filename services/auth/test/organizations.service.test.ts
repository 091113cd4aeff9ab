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
