import { generateKeyPairSync } from 'node:crypto'
import { rereadConfig } from '@quittance/runtime/config'
import { afterEach, expect, test, vi } from 'vitest'
import { chooseTransport, MailConfig } from './config.ts'

const key = Buffer.alloc(32).toString('base64')

afterEach(() => vi.unstubAllEnvs())

function choose(environment: Record<string, string>) {
  vi.unstubAllEnvs()
  for (const [name, value] of Object.entries({ MAIL_KEY: key, BASE_URL: '', ...environment })) vi.stubEnv(name, value)
  return chooseTransport(rereadConfig(MailConfig))
}

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

test('does not start with a key that cannot sign, whose text is in no error', () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey
  const elliptic = generateKeyPairSync('ed25519').privateKey
  const write = (key: typeof short) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const pem of ['nonsense', write(short), write(elliptic)]) {
    const result = MailConfig.safeParse({ MAIL_KEY: key, DKIM_PRIVATE_KEY: pem })
    expect(result.error?.issues.map(({ message }) => message)).toEqual(['must be a private RSA key of at least 2048 bits in PEM'])
  }
})
