import { expect, test } from 'vitest'
import { findLogEvents, findUndocumentedEvents } from './find-log-events.ts'

test.each([
  ["log.warn({ err }, 'nats.unavailable')", ['nats.unavailable']],
  ["waiting.log?.info({}, 'service.started')", ['service.started']],
  ["context.log[isSlow ? 'info' : 'debug']({}, isStored ? 'mail.sent' : 'mail.lost')", ['mail.sent', 'mail.lost']],
  ['log.error({ id }, `${kind.name}.quarantined`)', ['*.quarantined']],
  ["runEach(tasks, { context, failure: 'subscription.renewal-failed' })", ['subscription.renewal-failed']],
  ["JSON.stringify({ level: 'warn', event: 'log.lines-dropped' })", ['log.lines-dropped']],
  ["publish({ event: 'order.paid' }); console.error('not.this')", []],
])('the source %s logs %j', (source, events) => {
  expect(findLogEvents('a.ts', source)).toEqual(events)
})

const documented = '| event | level |\n| --- | --- |\n| `a.done`, `payment.failed` | info |\n| `‹operation›.handled` | debug |\n'
const logging = "log.info({}, 'a.done'); log.warn({}, `${kind}.failed`); log.debug({}, `${name}.handled`)"

function check(page: string, source: string): string[] {
  const texts: Record<string, string> = {
    'docs/logs.md': page,
    'services/a/src/a.ts': source,
    'services/a/src/a.test.ts': "log.info('b.none')",
  }
  return findUndocumentedEvents({ files: Object.keys(texts), read: (file) => texts[file] ?? '' })
}

test('finds an event without a row, and a row of an event that nothing logs', () => {
  expect(check(documented, logging)).toEqual([])
  expect(check(documented, `${logging}; log.info({}, 'a.begun')`)).toEqual(['docs/logs.md: no row for a.begun of services/a/src/a.ts'])
  expect(check(`${documented}| \`a.gone\` | warn |\n`, logging)).toEqual(['docs/logs.md: nothing logs a.gone'])
})
