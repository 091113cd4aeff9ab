import { formatAdjustmentLabel, formatProrationLabel } from '@quittance/contracts/proration-label'
import { expect, test } from 'vitest'
import { aPng, toDataUrl } from '../../test/pictures.ts'
import { aPrintedDocument, aPrintedLine } from '../../test/printed-documents.ts'
import { cssString } from './markup.ts'
import { documentPage } from './document-template.ts'
import type { DocumentModel } from './document-model.ts'

const vat = { name: 'VAT', country: 'PL', state: null, percentage: 23, reverse_charge: false }

function body(changes: Partial<DocumentModel> = {}): string {
  const html = documentPage(aPrintedDocument(changes)).html
  return html.slice(html.indexOf('<body>'))
}

/** Visible text, with normalized spaces. */
function text(changes: Partial<DocumentModel> = {}): string {
  const seen = body(changes).replaceAll(/<[^>]+>/g, ' ')
  return seen.normalize('NFKC').replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll(/[‎‏\s]+/g, ' ')
}

test('prints seller, buyer, dates, lines, amounts and taxes on an invoice [70]', () => {
  const seen = text()
  for (const part of [
    'Invoice $1,936.14 Paid on November 18, 2026 Northwind Analytics GmbH Invoice number NORTHWIND-0042 Date of issue November 20, 2026',
    'Date of issue November 20, 2026 Date of supply November 18, 2026 Currency USD',
    'From Northwind Analytics GmbH Torstraße 1 10119 Berlin Germany Tax ID DE123456788',
    'Bill to Zofia Łukasiewicz & Synowie ul. Marszałkowska 84/92 00-514 Warszawa Poland zofia@example.com Tax ID PL5260001246',
    'Analytics Pro, yearly 1 $1,299.00 $1,299.00',
    'Subtotal $1,749.00 Discount -$174.90 Net amount $1,574.10 VAT 23% on $1,574.10 $362.04 Total $1,936.14',
    'Paid on November 18, 2026 -$1,936.14 Amount due $0.00',
    'billing.example.com/verify/NORTHWIND-0042/qrvM3e7_ABEiM0RVZneImQ',
  ]) {
    expect(seen).toContain(part.replaceAll('  ', ' '))
  }
})

test('names a tax number as a VAT number only if it is one', () => {
  const { seller, buyer } = aPrintedDocument()
  const printed = (locale: string, taxId: string) => text({ locale, seller: { ...seller, taxId }, buyer: { ...buyer, taxId: null } })
  expect(printed('de', 'DE 136 695 976')).toContain('USt-IdNr. DE 136 695 976')
  expect(printed('de', '12/345/67890')).toContain('Steuernummer 12/345/67890')
  expect(printed('de', '12/345/67890')).not.toContain('USt-IdNr.')
  expect(printed('fr', '12/345/67890')).toContain('N° fiscal 12/345/67890'.normalize('NFKC'))
  expect(text({ locale: 'de', seller: { ...seller, address: null, taxId: 'ATU12345678' } })).toContain('USt-IdNr. ATU12345678')
})

test('omits what does not exist', () => {
  const { seller, buyer } = aPrintedDocument()
  const seen = text({
    seller: { ...seller, address: null, taxId: null, footer: null },
    buyer: { ...buyer, taxId: null },
    subtotal: 100,
    discount: 0,
    net: 100,
    tax: 0,
    total: 100,
    taxes: [],
    paidAt: null,
  })
  expect(seen).not.toMatch(/Discount|Tax|tax|Net|Paid|Service|IBAN|replaces/)
})

test('prints the date of the order of a subscription only if the invoice is of another day [72]', () => {
  const servicePeriod = { start: new Date('2026-11-18T10:00:00Z'), end: new Date('2026-12-18T10:00:00Z') }
  expect(text({ servicePeriod })).toContain('Date of order November 18, 2026 Date of supply November 18 – December 18, 2026')
  expect(text({ servicePeriod, orderedAt: new Date('2026-11-20T01:00:00Z') })).not.toContain('Date of order')
})

test('prints the date of supply also if it is the date of issue [documents 12]', () => {
  const seen = text({ orderedAt: new Date('2026-11-20T01:00:00Z') })
  expect(seen).toContain('Date of issue November 20, 2026 Date of supply November 20, 2026')
})

test('prints dates in the time zone of the seller [documents 10]', () => {
  const late = { issuedAt: new Date('2026-12-31T23:50:00Z'), orderedAt: new Date('2026-12-31T14:59:00Z') }
  expect(text({ ...late, timeZone: 'Asia/Tokyo' })).toContain('Date of issue January 1, 2027 Date of supply December 31, 2026')
  expect(text(late)).toContain('Date of issue December 31, 2026 Date of supply December 31, 2026')
})

test('prints the rate of each line where rates differ, and no empty or repeated row', () => {
  const taxes = [
    { ...vat, taxable_amount: 100, amount: 23 },
    { ...vat, percentage: 8, taxable_amount: 100, amount: 8 },
  ]
  const lines = [aPrintedLine({ label: 'A', taxPosition: 1 }), aPrintedLine({ label: 'B', taxPosition: 2, quantity: 2, amount: 200 })]
  const seen = text({ taxes, lines, subtotal: 200, discount: 0, net: 200 })
  expect(seen).toContain('Quantity Unit price Tax Amount A 1 $1.00 23% $1.00 B 2 $1.00 8% $2.00 Subtotal')
  expect(seen).not.toContain('Net amount')
  expect(text({ taxes: taxes.slice(1), lines: lines.slice(1) })).toContain('Quantity Unit price Amount')
})

test('prints the contact of the seller, and how it was paid with at most four digits', () => {
  const { seller } = aPrintedDocument()
  const contact = { name: 'Ada Lovelace', email: 'ada@northwind.example', phone: '+49 30 1234' }
  expect(text({ seller: { ...seller, contact } })).toContain('Germany Ada Lovelace ada@northwind.example +49 30 1234 Tax ID DE123456788')
  expect(text({ payment: { type: 'card', brand: 'visa', last4: '4242' } })).toContain('Paid on November 18, 2026 (Visa •••• 4242)')
  expect(text({ payment: { type: 'card', brand: 'visa', last4: '4242424242424242' } })).not.toContain('42424')
})

test('prints the reason and date of the refund on a credit note, and no suspicion of fraud', () => {
  const credit = (reason: string | null) =>
    text({ kind: 'credit_note', paidAt: null, refund: { reason, refundedAt: new Date('2026-11-19T10:00:00Z') } })
  expect(credit('customer_request')).toContain('Date of refund November 19, 2026 Reason Requested by the customer')
  expect(credit('fraudulent')).not.toContain('Reason')
  expect(text({ kind: 'credit_note', paidAt: null, refund: null })).toContain('Reason Correction of the invoice')
})

test('names on a credit note without a refund that its invoice was corrected or that it ended', () => {
  const credit = { kind: 'credit_note', paidAt: null, refund: null, isOffset: true } as const
  expect(text(credit)).toContain('Correction of the invoice')
  expect(text({ ...credit, isVoid: true })).toContain('Cancellation of the invoice')
  expect(text({ ...credit, isVoid: true, locale: 'de' })).toContain('Stornierung der Rechnung')
})

test('prints why an exempt seller charges no tax, on untaxed documents only [documents 19]', () => {
  const seller = { ...aPrintedDocument().seller, taxExemption: 'Kleinunternehmer gemäß § 19 UStG' }
  expect(text({ seller, taxes: [], tax: 0 })).toContain('Kleinunternehmer gemäß § 19 UStG')
  expect(text({ seller })).not.toContain('Kleinunternehmer')
})

test('prints base and amount of each tax rate without false decimals [50, 57]', () => {
  const taxes = [
    { ...vat, taxable_amount: 100_000, amount: 23_000 },
    { ...vat, name: 'Sales tax', percentage: 8.875, taxable_amount: 57_410, amount: 5_095 },
  ]
  expect(text({ taxes })).toContain('VAT 23% on $1,000.00 $230.00 Sales tax 8.875% on $574.10 $50.95 Total')
})

test('prints reverse charge without tax and with the legal wording in the document language [59]', () => {
  const reversed = { taxes: [{ ...vat, reverse_charge: true, taxable_amount: 157_410, amount: 0 }], tax: 0, total: 157_410 }
  expect(text(reversed)).toContain('VAT 0% on $1,574.10 $0.00')
  expect(text(reversed)).toMatch(/DE123456788.*PL5260001246.*Reverse charge/)
  expect(text({ ...reversed, locale: 'de' })).toContain('Steuerschuldnerschaft des Leistungsempfängers')
  expect(text({ ...reversed, locale: 'fr' })).toContain('Autoliquidation')
})

test('states whether prices included tax [58]', () => {
  expect(text({ taxBehavior: 'inclusive' })).toContain('advertised with tax included')
  expect(text({ taxBehavior: 'exclusive' })).not.toContain('tax included')
})

test('does not state that prices included tax where none is charged', () => {
  const untaxed = { taxBehavior: 'inclusive', tax: 0, total: 157_410 } as const
  const applied = { ...vat, taxable_amount: 157_410, amount: 0 }
  for (const change of [{ reverse_charge: true }, { percentage: 0 }])
    expect(text({ ...untaxed, taxes: [{ ...applied, ...change }] })).not.toContain('tax included')
})

test('prints a total of zero for a discount of 100 % [56]', () => {
  expect(text({ discount: 174_900, net: 0, tax: 0, total: 0, taxes: [] })).toContain('Subtotal $1,749.00 Discount -$1,749.00 Total $0.00')
})

test('prints one tax sum for an old record without rates', () => {
  expect(text({ taxes: [] })).toContain('Tax $362.04 Total')
})

test('prints the period of subscription lines and marks prorated ones [75]', () => {
  const servicePeriod = { start: new Date('2026-11-18T10:00:00Z'), end: new Date('2026-12-18T10:00:00Z') }
  const lines = [aPrintedLine({ label: 'Pro' }), aPrintedLine({ label: 'Unused Basic', amount: -5_000, proration: true })]
  const seen = text({ servicePeriod, lines })
  expect(seen).toContain('Pro Service period: November 18 – December 18, 2026 1')
  expect(seen).toContain('Unused Basic Prorated: for part of a period, after a change 1 -$50.00 -$50.00')
})

test('prints the lines of a change of product in the language of the document', () => {
  const labels = [
    formatProrationLabel('unused', 'Basic'),
    formatProrationLabel('remaining', 'Pro'),
    ...(['creditLeft', 'chargeLeft', 'credit'] as const).map(formatAdjustmentLabel),
  ]
  const lines = labels.map((label) => aPrintedLine({ label, proration: true }))
  const german = text({ locale: 'de', lines })
  for (const part of ['Ungenutzte Zeit von Basic', 'Restliche Zeit von Pro', 'Auf die nächste Bestellung übertragenes Guthaben'])
    expect(german).toContain(part)
  expect(german).toMatch(/Auf die nächste Bestellung übertragen Anteilig.* Guthaben Anteilig/)
  for (const label of labels) expect(text({ lines })).toContain(label)
  const product = aPrintedLine({ label: 'Unused time of Basic' })
  expect(text({ locale: 'de', lines: [product] })).toContain('Unused time of Basic')
})

test('prints number and date of the corrected invoice and positive amounts on a credit note [46]', () => {
  const refersTo = { number: 'NORTHWIND-0007', issuedAt: new Date('2026-10-01T00:00:00Z') }
  const seen = text({ kind: 'credit_note', refersTo, paidAt: null, discount: 0 })
  expect(seen).toContain('Credit note $1,936.14 Total credited Northwind Analytics GmbH Credit note number NORTHWIND-0042')
  expect(seen).toContain('back from invoice NORTHWIND-0007 of October 1, 2026.')
  expect(seen).toContain('Total credited $1,936.14')
  expect(seen).not.toContain('-$')
})

test('names the replaced invoice on a replacement', () => {
  const refersTo = { number: 'NORTHWIND-0007', issuedAt: new Date('2026-10-01T00:00:00Z') }
  expect(text({ refersTo })).toContain('This invoice replaces invoice NORTHWIND-0007 of October 1, 2026.')
})

test('names the reversed credit note on the invoice that reverses it, in the language of the document', () => {
  const refersTo = { number: 'CN-NORTHWIN-0007', issuedAt: new Date('2026-10-01T00:00:00Z'), kind: 'credit_note' as const }
  expect(text({ refersTo })).toContain('This invoice reverses credit note CN-NORTHWIN-0007 of October 1, 2026.')
  expect(text({ refersTo, locale: 'de' })).toContain('hebt die Rechnungskorrektur CN-NORTHWIN-0007 vom 1. Oktober 2026 auf.')
})

test('prints no decimals for a currency without minor units [61]', () => {
  expect(text({ currency: 'jpy', total: 1000 })).toContain('Total ¥1,000 ')
})

test('formats amounts and dates by region and strings by language [76]', () => {
  expect(text({ locale: 'de-CH', currency: 'chf' }).replace('’', "'")).toContain("Gesamtbetrag CHF 1'936.14 Bezahlt am 18. November 2026")
  expect(text({ locale: 'fr-FR', currency: 'eur' })).toContain('Total 1 936,14 €')
})

test('sets the language and direction of the document', () => {
  const start = (locale: string) => documentPage(aPrintedDocument({ locale })).html.slice(0, 60)
  expect(start('de-CH')).toContain('<html lang="de-CH" dir="ltr">')
  expect(start('ar')).toContain('<html lang="ar" dir="rtl">')
  expect(start('he-IL')).toContain('<html lang="he-IL" dir="rtl">')
})

test('sets the paper size of the document [93]', () => {
  expect(documentPage(aPrintedDocument()).html).toContain('size: a4')
  expect(documentPage(aPrintedDocument({ paper: 'letter' })).html).toContain('size: letter')
})

test('prints the page count in Eastern Arabic digits if the locale uses them', () => {
  expect(documentPage(aPrintedDocument({ locale: 'ar-EG' })).html).toContain('counter(page, arabic-indic)')
  expect(documentPage(aPrintedDocument({ locale: 'ar' })).html).toContain('counter(page)')
})

test('keeps the lines of the small print', () => {
  const seller = { ...aPrintedDocument().seller, footer: 'First\r\n\nThird' }
  expect(body({ seller })).toContain('<p><bdi>First</bdi></p><p><bdi></bdi></p><p><bdi>Third</bdi></p>')
})

test('embeds a PNG or JPEG logo and ignores any other URL', () => {
  const { seller } = aPrintedDocument()
  const logo = toDataUrl(aPng({ width: 16, height: 16, bits: 1 }))
  expect(body({ seller: { ...seller, logo } })).toContain(`<img class="brand" src="${logo}" alt="Northwind Analytics GmbH">`)
  for (const no of ['http://127.0.0.1/x.png', 'data:image/svg+xml;base64,PHN2Zz4=', 'data:text/html;base64,PGI+', `${logo}" onload="x`]) {
    expect(body({ seller: { ...seller, logo: no } })).not.toContain('<img')
  }
})

test.each([
  '<script>alert(1)</script>',
  '<img src=http://127.0.0.1/x onerror=alert(1)>',
  '</td></tr></table>',
  '"><iframe src=file:///etc/passwd>',
  '</style><style>@import "http://127.0.0.1/x"',
  '&lt;b&gt;',
])('prints the text %s without interpreting it as markup', (hostile) => {
  const address = { line1: hostile, line2: hostile, postal_code: hostile, city: hostile, state: hostile, country: 'GB' }
  const html = body({
    number: hostile,
    seller: { name: hostile, address, taxId: hostile, logo: hostile, footer: hostile },
    buyer: { name: hostile, address, taxId: hostile, email: hostile },
    lines: [aPrintedLine({ label: hostile })],
    taxes: [{ ...vat, name: hostile, taxable_amount: 1, amount: 1 }],
    refersTo: { number: hostile, issuedAt: new Date(0) },
    verifyUrl: `https://example.com/${hostile}`,
  })
  const drawing =
    /<svg class="qr" role="img" aria-label="[a-zA-Z ]+" viewBox="[0-9 ]+" shape-rendering="crispEdges"><path d="[Mhvz0-9 -]+"\/><\/svg>/
  const link = /<a href="[^"<>]*" title="[a-zA-Z ]+" dir="ltr">/
  const known =
    /<\/?(?:body|header|footer|h1|h2|dl|dt|dd|div|section|p|a|span|bdi|table|colgroup|col|thead|tbody|tr|th|td)(?: (?:class|scope|colspan)="[a-z0-9 -]*")*>/g
  expect(html.replace(drawing, '').replace(link, '').replaceAll(known, '').replace('</html>', '')).not.toMatch(/[<>]/)
})

test('prints a name in its logical order, whatever direction it asks for [documents 6]', () => {
  const { buyer } = aPrintedDocument()
  expect(body({ buyer: { ...buyer, name: 'Ada\u202eCLL\u2066\u202d' } })).toContain('<bdi>AdaCLL</bdi>')
})

test('prints a space for a line or paragraph separator, which no font contains', () => {
  const { buyer } = aPrintedDocument()
  const document = aPrintedDocument({ buyer: { ...buyer, name: 'Ada\u2028Lovelace\u2029Byron' } })
  expect(documentPage(document)).toMatchObject({ unprintable: [], html: expect.stringContaining('Ada Lovelace Byron') })
})

test('replaces control characters and lone surrogates', () => {
  const { buyer } = aPrintedDocument()
  expect(body({ buyer: { ...buyer, name: 'A\u0000B\u001bC\ud800D' } })).toContain('A\ufffdB\ufffdC\ufffdD')
})

test('escapes a string in the style sheet so that it ends neither itself nor the element', () => {
  expect(cssString('A-1"; } </style>\\\n')).toBe('"A-1\\22 \\3b  \\7d  \\3c \\2f style\\3e \\5c \\a "')
})
