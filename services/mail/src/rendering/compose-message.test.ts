import { randomUUID } from 'node:crypto'
import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import type { MailContent } from '../content/mail-content.ts'
import { composeMessage } from './compose-message.ts'

/** Composes a mail of a seller with this name; returns the names that mail programs show. */
async function showNames(seller: string) {
  const content: MailContent = {
    locale: 'en',
    direction: 'ltr',
    subject: 'Receipt',
    title: 'Receipt',
    seller,
    code: null,
    action: null,
    sentences: [],
    lines: [],
    facts: [],
    notes: [],
    links: [],
    footer: [],
  }
  const { source } = await composeMessage(content, {
    id: randomUUID(),
    createdAt: new Date(0),
    recipient: 'buyer@buyer.example',
    from: 'sales@operator.example',
    idDomain: 'operator.example',
    signature: null,
    replyTo: 'help@harbour.example',
    optOutUrl: null,
  })
  const { from, replyTo } = await simpleParser(source)
  return [from, replyTo].map((shown) => shown?.value[0]?.name)
}

const codePoints = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff)
const atSigns = codePoints.map((code) => String.fromCodePoint(code)).filter((sign) => sign.normalize('NFKC').includes('@'))

test('the name of a seller shows no address in From, in whatever form of @ Unicode has', async () => {
  expect(atSigns).toEqual(['@', '\uFE6B', '\uFF20'])
  for (const sign of atSigns) expect(await showNames(`security${sign}bank.example`)).toEqual(Array(2).fill('security bank.example'))
})

test('other compatibility forms in the name of a seller stay as they are', async () => {
  expect(await showNames('Ｈａｒｂｏｒ ①ﬁ')).toEqual(Array(2).fill('Ｈａｒｂｏｒ ①ﬁ'))
})
