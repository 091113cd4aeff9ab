import { createAccount, getOwnAccount } from '@quittance/contracts/accounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { operator, startWithPerson } from './start-with-person.ts'

test('an e-mail address belongs to one account, whatever its case; the password is kept as a hash', async () => {
  await using auth = (await startWithPerson()).service
  const again = { email: 'ADA@example.com', password: 'another password' }
  await expect(auth.call(createAccount, again, operator)).rejects.toThrow(RequestValidationError)
  expect(JSON.stringify(await auth.rows('select * from accounts'))).not.toContain('correct horse')
})

test('an address counts as verified only when whoever makes the account says so', async () => {
  await using auth = (await startWithPerson()).service
  const grace = await auth.call(createAccount, { email: 'grace@example.com', password: 'correct horse', email_verified: true }, operator)
  expect(grace).toMatchObject({ email: 'grace@example.com', email_verified: true, modified_at: null })
  const eve = await auth.call(createAccount, { email: 'eve@example.com', password: 'correct horse' }, operator)
  expect(eve.email_verified).toBe(false)
})

test('a credential of a person tells whose it is; one of an organization is nobody’s', async () => {
  const { service, userId, organizationId, person, application } = await startWithPerson()
  await using auth = service
  const own = await auth.call(getOwnAccount, {}, person)
  expect(own).toMatchObject({ id: userId, email: 'ada@example.com', email_verified: false })
  expect(await auth.call(getOwnAccount, {}, application)).toEqual(own)
  await expect(auth.call(getOwnAccount, {}, organizationCaller(organizationId))).rejects.toMatchObject({ status: 403 })
})
