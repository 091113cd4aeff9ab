import { expect, test } from 'vitest'
import { addresses, sampleData, sampleMail } from '../../test/sample-mails.ts'
import { renderHtml } from '../rendering/render-html.ts'
import { renderText } from '../rendering/render-text.ts'
import { wordsByLanguage } from '../words/mail-language.ts'
import { buildContent } from './build-content.ts'
import type { MailContent } from './mail-content.ts'

const languages = Object.keys(wordsByLanguage)

/** Every text of a mail, in order. */
function texts(content: MailContent): string[] {
  const { title, sentences, code, lines, facts, notes, action, links, footer, seller } = content
  const pieces = [...sentences, ...notes, footer].flat().map((piece) => (typeof piece === 'string' ? piece : piece.value))
  const rows = [...lines, ...facts].flatMap(({ label, value }) => [label, value])
  return [
    seller,
    title,
    ...pieces,
    ...(code ? [code] : []),
    ...rows,
    ...[action, ...links].flatMap((link) => (link ? [link.label, link.url] : [])),
  ]
    .map((text) => text.trim())
    .filter(Boolean)
}

const plain = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll(/\s+/g, ' ')
const withoutMarkup = (html: string) =>
  html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll(/<(?!a )[^>]*>/g, '')

test.each(languages)('HTML and text of every mail state the same in %s [pages 85]', (language) => {
  for (const data of sampleData) {
    const content = buildContent(sampleMail(data, language), addresses)
    const [html, text] = [plain(withoutMarkup(renderHtml(content))), plain(renderText(content))]
    for (const each of texts(content)) {
      expect(text).toContain(plain(each))
      expect(html).toContain(plain(each))
    }
    expect(renderHtml(content).match(/<a /g)?.length ?? 0).toBe((content.action ? 1 : 0) + content.links.length)
  }
})

test.each(languages)('%s has every word, with the placeholders of English [pages 115]', (language) => {
  const flatten = (value: object, path = ''): [string, string][] =>
    Object.entries(value).flatMap(([key, each]) => (typeof each === 'string' ? [[`${path}${key}`, each]] : flatten(each, `${path}${key}.`)))
  const placeholders = (words: object) =>
    Object.fromEntries(flatten(words).map(([path, text]) => [path, [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted().join()]))
  const english = wordsByLanguage['en'] as object
  expect(placeholders(wordsByLanguage[language] as object)).toEqual(placeholders(english))
  if (language === 'en') return
  const own = flatten(wordsByLanguage[language] as object)
  const same = own.filter(([path, text]) => path !== 'direction' && text === new Map(flatten(english)).get(path))
  // Words that are the same in both languages.
  expect(same.map(([, text]) => text).filter((text) => !['Date', 'Total', 'Subtotal'].includes(text))).toEqual([])
})

test.each(languages)('no mail in %s is laid out with what Outlook for Windows does not know', (language) => {
  for (const data of sampleData) {
    const content = buildContent(sampleMail(data, language), addresses)
    const html = renderHtml(content)
    expect(html).not.toMatch(/text-align:(start|end)|(padding|margin)-(inline|block)|display:(flex|grid)/)
    const [label, value] = content.direction === 'rtl' ? ['right', 'left'] : ['left', 'right']
    expect(html.match(/<th [^>]*align="\w+"/g) ?? []).toEqual(html.match(new RegExp(`<th [^>]*align="${label}"`, 'g')) ?? [])
    expect(html.match(/<td [^>]*align="\w+"/g) ?? []).toEqual(html.match(new RegExp(`<td [^>]*align="${value}"`, 'g')) ?? [])
    expect(html.match(/<(table|tr|td)[ >]/g)).toHaveLength(html.match(/<\/(table|tr|td)>/g)?.length ?? 0)
  }
})

test.each(['renewal_ahead', 'trial_ending'] as const)('the mail %s states the price and the total that is charged', (kind) => {
  const data = { kind, product: 'Pro', amount: 31_000, currency: 'eur', interval: 'year', renewsAt: '2026-12-23T10:00:00Z' } as const
  const stated = (total: object) => plain(texts(buildContent(sampleMail({ ...data, ...total }, 'en'), addresses)).join(' '))
  expect(stated({ total: 36_890 })).toMatch(/€368\.90 is charged/)
  expect(stated({ total: 36_890 })).toContain('Pro €310.00')
  expect(stated({})).toMatch(/€310\.00 is charged/)
  // No trial is paid by transfer before its first payment.
  if (kind === 'renewal_ahead')
    expect(stated({ isPaidByTransfer: true })).toMatch(/a request to send €310\.00 by bank transfer(?!.*charged)/)
})

test.each(['subscription_cancelled', 'subscription_ended'] as const)(
  'the mail %s does not deny what changes of product still owe',
  (kind) => {
    const data = { kind, product: 'Pro', amount: 1000, currency: 'eur', interval: 'month', until: '2026-12-23T10:00:00Z' } as const
    const stated = (language: string) => plain(texts(buildContent(sampleMail(data, language), addresses)).join(' '))
    expect(stated('en')).toContain('The subscription does not renew.')
    expect(stated('en')).not.toMatch(/payment/i)
    expect(stated('de')).not.toMatch(/Zahlung/)
  },
)

test('a receipt links to the public ways to withdraw and to cancel, filled in with the order [pages 77]', () => {
  const [receipt] = sampleData
  const links = (change: object) => buildContent(sampleMail({ ...receipt, ...change } as never, 'de'), addresses).links
  const query = '?reference=o-1&locale=de'
  expect(links({ orderId: 'o-1', mayWithdraw: true, reason: 'subscription_create' })).toEqual([
    { label: 'Vertrag widerrufen', url: `https://shop.example/harbour/withdraw${query}` },
    { label: 'Verträge hier kündigen', url: `https://shop.example/harbour/cancel${query}` },
  ])
  // A business, or a consumer who waived the right, buys once.
  expect(links({ orderId: 'o-1', mayWithdraw: false, reason: 'purchase' })).toEqual([])
})

test('a failed payment links to its page in the portal; one of release 0.1.0, to the portal', () => {
  const failed = sampleData.find(({ kind }) => kind === 'payment_failed') as object
  const action = (change: object, slug: string | null = 'harbour') =>
    buildContent({ ...sampleMail({ ...failed, ...change } as never, 'de'), slug }, addresses).action
  expect(action({})).toEqual({ label: 'Jetzt bezahlen', url: 'https://shop.example/harbour/portal/subscriptions/s-1/pay' })
  expect(action({ subscriptionId: '../x?' })?.url).toBe('https://shop.example/harbour/portal/subscriptions/..%2Fx%3F/pay')
  expect(action({ subscriptionId: undefined })).toEqual({ label: 'Ihre Käufe', url: 'https://shop.example/harbour/portal' })
  expect(action({}, null)).toBeNull()
})

test('shows text of a seller as text, without characters that could disguise the rest [pages 124]', () => {
  const hostile = '<b onclick="x">&\r\nSubject: y\u202Ecod\uD800'
  const [receipt] = sampleData
  const mail = { ...sampleMail({ ...receipt, product: hostile, items: [{ label: hostile, amount: 1 }] } as never, 'en'), seller: hostile }
  const content = buildContent(mail, addresses)
  expect(renderHtml(content)).not.toMatch(/<b |\u202E|\p{Cs}|\r/u)
  expect(renderText(content)).not.toMatch(/\u202E|\p{Cs}|\r/u)
  expect(content.subject).not.toMatch(/[\r\n\u202E]/)
})

test.each([
  'https://elsewhere.example/v1',
  'https://billing.example@elsewhere.example/',
  'https://billing.example.elsewhere.example/',
  'javascript:alert(1)',
  'http://billing.example/',
  'https://billing.example/"><script>',
])('rejects a link to elsewhere: %s', (url) => {
  const invoice = sampleData.find(({ kind }) => kind === 'invoice') as never
  expect(() => buildContent(sampleMail({ ...(invoice as object), url } as never, 'en'), addresses)).toThrow(
    'does not lead to this installation',
  )
})

test('an amount has the digits of its currency, exactly', () => {
  const refund = (amount: number, currency: string) =>
    buildContent(sampleMail({ kind: 'refund', amount, currency, refundedAt: '2026-11-23T10:00:00Z' }, 'en'), addresses).facts.at(-1)?.value
  expect([refund(5, 'usd'), refund(1200, 'jpy'), refund(1234, 'kwd'), refund(9_007_199_254_740_991, 'usd')]).toEqual([
    '$0.05',
    '¥1,200',
    'KWD\u00A01.234',
    '$90,071,992,547,409.91',
  ])
})

test('the lines, discount and taxes of a receipt add up to its total, also where the advertised price includes the tax', () => {
  const [receipt] = sampleData
  const facts = (isTaxIncluded: boolean) => buildContent(sampleMail({ ...receipt, isTaxIncluded } as never, 'en'), addresses).facts
  // Lines of orders are without tax: a row of included tax would be one that does not add to them.
  expect(facts(true)).toEqual(facts(false))
  expect(facts(true).map(({ label, value }) => `${label} ${value}`)).toEqual([
    'Subtotal €64.00',
    'Discount -€6.40',
    'Tax: VAT, 19% €10.94',
    'Total €68.54',
  ])
})

test.each(['withdrawal_receipt', 'declaration_notice'])('no mail program links what was typed into a declaration: %s', (kind) => {
  const typed = { name: 'Dr.Ada', contract: 'Unlock it at harbour-help.com/unlock, order 2.50' }
  const data = { ...sampleData.find((each) => each.kind === kind), ...typed }
  const content = buildContent(sampleMail(data as never, 'en'), addresses)
  for (const text of [renderText(content), withoutMarkup(renderHtml(content))]) {
    expect(text).toContain('harbour-help.\u2060com/unlock, order 2.50')
    expect(text).not.toContain('harbour-help.com')
  }
})
