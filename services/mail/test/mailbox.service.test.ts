import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startMail, type TestMail } from './start-mail.ts'

const open = (mail: TestMail, path: string, options: RequestInit = {}) => fetch(`http://127.0.0.1:${mail.healthPort()}${path}`, options)

async function readOnlyMessage(mail: TestMail): Promise<string> {
  await mail.ended(1)
  const text = await (await open(mail, '/mailbox')).text()
  return /\/mailbox\/[-0-9a-f]{36}/.exec(text)?.[0] ?? ''
}

test('stores mails without an SMTP server, and shows list, message, text and source [pages 94]', async () => {
  await using mail = await startMail()
  const order = mail.order()
  await mail.pay(order)
  const path = await readOnlyMessage(mail)
  const list = await (await open(mail, '/mailbox')).text()
  expect(list).toContain('Your receipt from Harbour Books')
  expect(list).toContain(order.customer.email)
  const message = await (await open(mail, path)).text()
  expect(message).toContain(`<iframe sandbox="" title="HTML of the mail" src="${path}/html">`)
  const html = await open(mail, `${path}/html`)
  expect(await html.text()).toContain('Thank you for your order')
  const source = await open(mail, `${path}/source`)
  expect(source.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await source.text()).toMatch(/^Message-ID: <[-0-9a-f]{36}@operator\.example>\r?$/m)
})

test('every answer of the mailbox forbids scripts, other origins and frames of others [pages 95]', async () => {
  await using mail = await startMail()
  await mail.pay(mail.order({ description: '<script>alert(1)</script><style>@import "https://elsewhere.example"</style>' }))
  const path = await readOnlyMessage(mail)
  for (const each of ['/mailbox', path, `${path}/html`, `${path}/source`, '/mailbox/unknown']) {
    const { headers } = await open(mail, each)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'/)
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|script-src|\*/)
    expect(policy).toContain(each.endsWith('/html') ? `frame-ancestors 'self'; sandbox` : `frame-ancestors 'none'`)
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('messages of the mailbox are encrypted in the database [pages 89]', async () => {
  await using mail = await startMail()
  await mail.pay(mail.order())
  await mail.ended(1)
  const [row] = await mail.rows<{ sealed_source: string }>('select sealed_source from mailbox_messages')
  expect(row?.sealed_source).toMatch(/^aes-256-gcm\$/)
})

test('answers unknown mails with 404, changes with 405, and HEAD without a body', async () => {
  await using mail = await startMail()
  for (const path of ['/mailbox/', '/mailbox/x', `/mailbox/${crypto.randomUUID()}`, '/mailbox/../livez%00', '/mailboxes'])
    expect((await open(mail, path)).status).toBe(404)
  expect((await open(mail, '/mailbox', { method: 'POST' })).status).toBe(405)
  const head = await open(mail, '/mailbox', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await open(mail, '/mailbox?before=x%27')).status).toBe(200)
})

test('keeps 500 messages for seven days', async () => {
  await using mail = await startMail()
  await mail.pay(mail.order())
  await mail.ended(1)
  await mail.rows(`update mailbox_messages set stored_at = now() - interval '8 days'`)
  await mail.rows(`notify wake, 'remove-old-messages'`)
  await eventually(async () => expect(await mail.rows('select from mailbox_messages')).toEqual([]))
})

test('removes contents after 30 days and rows after 400', async () => {
  await using mail = await startMail()
  await mail.pay(mail.order())
  await mail.pay(mail.order())
  const [first, second] = await mail.ended(2)
  await mail.rows(`update messages set ended_at = now() - interval '31 days' where id = $1`, [first?.id])
  await mail.rows(`update messages set ended_at = now() - interval '401 days' where id = $1`, [second?.id])
  await mail.rows(`notify wake, 'remove-old-messages'`)
  await eventually(async () => {
    const rows = await mail.rows(`select id, content from messages`)
    expect(rows).toEqual([{ id: first?.id, content: null }])
  })
})
