import { expect, test } from 'vitest'
import { natsUsers } from './nats-users.ts'
import { natsAccountFor, natsPermissionsFor, streamImports } from './permissions.ts'
import { events, operations } from './registry.ts'

test('only the gateway and the operator may send requests to a service', () => {
  for (const { subject } of operations) {
    const allowedUsers = natsUsers.filter((user) => natsPermissionsFor(user).publish.some((pattern) => matches(pattern, subject)))
    expect(allowedUsers).toEqual(['gateway', 'operator'])
  }
})

test('only the publisher of an event may publish it', () => {
  for (const { subject, publisher } of events) {
    const allowedUsers = natsUsers.filter((user) => natsPermissionsFor(user).publish.some((pattern) => matches(pattern, subject)))
    expect(allowedUsers).toEqual([publisher])
  }
})

test('a user may subscribe to its own replies only', () => {
  for (const user of natsUsers) {
    const inboxes = natsPermissionsFor(user).subscribe.filter((pattern) => pattern.startsWith('_INBOX'))
    expect(inboxes).toEqual([`_INBOX_${user}.>`])
  }
})

test('a service may reply only to requests sent to it', () => {
  for (const user of natsUsers.filter((name) => !['operator', 'stream', 'provisioner'].includes(name))) {
    const replies = natsPermissionsFor(user).publish.filter((pattern) => pattern.startsWith('_INBOX'))
    for (const pattern of replies) expect(pattern).toMatch(new RegExp(`^_INBOX_(gateway|operator)[.]${user}[.]>$`))
  }
})

test('only users of the stream account may create, change or delete a stream or consumer', () => {
  const managing = ['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.DELETE', 'STREAM.PURGE', 'CONSUMER.CREATE', 'CONSUMER.DELETE']
  const subjects = managing.map((verb) => `$JS.API.${verb}.EVENTS`)
  for (const user of natsUsers.filter((name) => natsAccountFor(name) === 'services')) {
    const allowed = subjects.filter((subject) => natsPermissionsFor(user).publish.some((pattern) => matches(pattern, subject)))
    expect({ user, allowed }).toEqual({ user, allowed: [] })
  }
  expect(subjects.filter((subject) => streamImports.some((exported) => matches(exported.subject, subject)))).toEqual([])
})

function matches(pattern: string, subject: string): boolean {
  const subjectTokens = subject.split('.')
  const patternTokens = pattern.split('.')
  return (
    patternTokens.every((token, i) => token === '>' || token === '*' || token === subjectTokens[i]) &&
    (patternTokens.at(-1) === '>' || patternTokens.length === subjectTokens.length)
  )
}
