import { expect, test } from 'vitest'
import { chooseTransport, MailConfig } from './config.ts'

const key = Buffer.alloc(32).toString('base64')
const choose = (environment: Record<string, string>) => chooseTransport(MailConfig.parse({ MAIL_KEY: key, ...environment }))

test.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'http://shop.localhost'])(
  'mails go to the local mailbox on %s [pages 94]',
  (baseUrl) => {
    expect(choose({ BASE_URL: baseUrl, SMTP_URL: '', MAIL_FROM: '', MAILBOX: '' })).toEqual({ kind: 'mailbox', from: 'noreply@localhost' })
  },
)

test.each(['https://billing.example', 'http://10.0.0.5:8080', 'https://127.0.0.1.example', 'https://localhost.example'])(
  'does not start without an SMTP server on %s, unless the mailbox is opened by name [pages 94]',
  (baseUrl) => {
    expect(() => choose({ BASE_URL: baseUrl })).toThrow(/SMTP_URL is not set/)
    expect(choose({ BASE_URL: baseUrl, MAILBOX: 'open' }).kind).toBe('mailbox')
    expect(choose({ BASE_URL: baseUrl, SMTP_URL: 'smtps://u:p@mail.example', MAIL_FROM: 'a@b.example' }).kind).toBe('smtp')
  },
)

test('does not start with an SMTP server and no sender', () => {
  expect(() => choose({ SMTP_URL: 'smtps://u:p@mail.example' })).toThrow(/MAIL_FROM is not set/)
})
