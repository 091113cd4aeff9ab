import { randomUUID } from 'node:crypto'
import { createAccount, getOwnAccount, verifyEmail } from '@quittance/contracts/accounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { operator, startWithUser } from './start-with-user.ts'

test('an e-mail address belongs to one account in any case; the password is stored as a hash', async () => {
  await using auth = (await startWithUser()).service
  const again = { email: 'ADA@example.com', password: 'another password' }
  await expect(auth.call(createAccount, again, operator)).rejects.toThrow(RequestValidationError)
  expect(JSON.stringify(await auth.rows('select * from accounts'))).not.toContain('correct horse')
})

test('an address is verified only if the creator of the account declares it verified', async () => {
  await using auth = (await startWithUser()).service
  const grace = await auth.call(createAccount, { email: 'grace@example.com', password: 'correct horse', email_verified: true }, operator)
  expect(grace).toMatchObject({ email: 'grace@example.com', email_verified: true, modified_at: null })
  const eve = await auth.call(createAccount, { email: 'eve@example.com', password: 'correct horse' }, operator)
  expect(eve.email_verified).toBe(false)
})

test('the operator verifies an address; repeating is no error, an unknown account is', async () => {
  const { service, userId } = await startWithUser()
  await using auth = service
  expect(await auth.call(verifyEmail, { user_id: userId }, operator)).toMatchObject({ id: userId, email_verified: true })
  const verified = () => auth.rows('select email_verified_at from accounts')
  const before = await verified()
  await auth.call(verifyEmail, { user_id: userId }, operator)
  expect(await verified()).toEqual(before)
  await expect(auth.call(verifyEmail, { user_id: randomUUID() }, operator)).rejects.toThrow(ResourceNotFound)
})

test('returns the account of a user’s credential and none for an organization’s', async () => {
  const { service, userId, organizationId, person, application } = await startWithUser()
  await using auth = service
  const own = await auth.call(getOwnAccount, {}, person)
  expect(own).toMatchObject({ id: userId, email: 'ada@example.com', email_verified: false })
  expect(await auth.call(getOwnAccount, {}, application)).toEqual(own)
  await expect(auth.call(getOwnAccount, {}, organizationCaller(organizationId))).rejects.toMatchObject({ status: 403 })
})
