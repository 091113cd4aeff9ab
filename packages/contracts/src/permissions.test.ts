import { expect, test } from 'vitest'
import { natsUsers, permissionsOf } from './permissions.ts'
import { events, operations } from './registry.ts'

test('only the gateway and the operator may ask a service, so a service can believe the caller', () => {
  for (const { subject } of operations) {
    const may = natsUsers.filter((user) => permissionsOf(user).publish.some((pattern) => matches(pattern, subject)))
    expect(may).toEqual(['gateway', 'operator'])
  }
})

test('an event is told by its publisher and by nobody else', () => {
  for (const { subject, publisher } of events) {
    const may = natsUsers.filter((user) => permissionsOf(user).publish.some((pattern) => matches(pattern, subject)))
    expect(may).toEqual([publisher])
  }
})

test('nobody reads the replies of another, and only the operator may do what he likes with the stream', () => {
  for (const user of natsUsers) {
    const { publish, subscribe } = permissionsOf(user)
    expect(subscribe.filter((pattern) => pattern.startsWith('_INBOX'))).toEqual([`_INBOX_${user}.>`])
    expect(publish.some((pattern) => matches(pattern, '$JS.API.STREAM.DELETE.EVENTS'))).toBe(user === 'operator')
  }
})

function matches(pattern: string, subject: string): boolean {
  const given = subject.split('.')
  const wanted = pattern.split('.')
  return (
    wanted.every((token, i) => token === '>' || token === '*' || token === given[i]) &&
    (wanted.at(-1) === '>' || wanted.length === given.length)
  )
}
