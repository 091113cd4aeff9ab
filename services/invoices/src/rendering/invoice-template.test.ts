import { expect, test } from 'vitest'
import { cssString } from './css-string.ts'
import { invoiceHtml, type PrintedInvoice } from './invoice-template.ts'

const source: PrintedInvoice['source'] = {
  order_id: '0c1e5f0e-8f0d-4a94-9d6a-6f0a3f7d3c11',
  order_created_at: '2026-11-18T23:59:00Z',
  organization: { id: '5f4c2a80-5a63-4e5b-8f0e-0a0a8ad1b1a2', name: 'Northwind Analytics', slug: 'northwind' },
  customer_id: '9d0c2f5e-3a44-4a0e-9a55-0f6c2d9b7e31',
  currency: 'usd',
  billing_name: 'Ada Lovelace',
  billing_address: { line1: '12 St James’s Square', line2: null, postal_code: 'SW1Y 4JH', city: 'London', state: null, country: 'GB' },
  tax_id: 'GB123456782',
  customer_email: 'ada@example.com',
  items: [
    { label: 'Analytical Engine, yearly licence', amount: 120_000, discount_amount: 0, tax_amount: 0, proration: false },
    { label: 'Punched cards', amount: 3_450, discount_amount: 0, tax_amount: 0, proration: false },
  ],
  subtotal_amount: 123_450,
  discount_amount: 23_450,
  net_amount: 100_000,
  tax_amount: 20_000,
  taxes: [],
  tax_behavior: 'exclusive',
  total_amount: 120_000,
  paid_at: '2026-11-19T08:00:00Z',
  locale: null,
  period: null,
  refunds: [],
}

function printed(changes: Partial<PrintedInvoice['source']> = {}): string {
  const html = invoiceHtml({ number: 'NORTHWIND-0042', issuedAt: new Date('2026-11-20T12:00:00Z'), source: { ...source, ...changes } })
  return html.slice(html.indexOf('<body>'))
}

test('everything an invoice must say is on it', () => {
  const html = printed()
  for (const text of [
    'Invoice number</dt><dd>NORTHWIND-0042',
    'Date of issue</dt><dd>November 20, 2026',
    'Date of order</dt><dd>November 18, 2026',
    'Currency</dt><dd>USD',
    'Northwind Analytics',
    'Ada Lovelace',
    '12 St James’s Square',
    'London, SW1Y 4JH',
    'United Kingdom',
    'Tax ID: GB123456782',
    'Analytical Engine, yearly licence</bdi></th><td>1</td><td>$1,200.00</td><td>$1,200.00',
    'Punched cards</bdi></th><td>1</td><td>$34.50</td><td>$34.50',
    'Subtotal</th><td>$1,234.50',
    'Discount</th><td>-$234.50',
    'Tax</th><td>$200.00',
    'Total</th><td>$1,200.00',
    'Paid on November 19, 2026</th><td>$1,200.00',
  ]) {
    expect(html).toContain(text)
  }
})

test('a discount, a tax and a tax ID that do not exist are not mentioned', () => {
  const html = printed({ discount_amount: 0, tax_amount: 0, tax_id: null })
  expect(html).not.toMatch(/Discount|Tax/)
})

test('an order of the same day is dated once', () => {
  expect(printed({ order_created_at: '2026-11-20T01:00:00Z' })).not.toContain('Date of order')
})

test.each([
  '<script>alert(1)</script>',
  '<img src=http://127.0.0.1/x onerror=alert(1)>',
  '</td></tr></table>',
  '"><iframe src=file:///etc/passwd>',
  '</style><style>@import "http://127.0.0.1/x"',
  '&lt;b&gt;',
])('the text %s is printed and is no markup, wherever it stands', (text) => {
  const address = { line1: text, line2: text, postal_code: text, city: text, state: text, country: 'GB' }
  const html = printed({
    billing_name: text,
    billing_address: address,
    tax_id: text,
    organization: { ...source.organization, name: text },
    items: [{ label: text, amount: 1, discount_amount: 0, tax_amount: 0, proration: false }],
  })
  const known =
    /<\/?(?:body|header|h1|h2|dl|dt|dd|div|section|p|strong|bdi|table|colgroup|col|thead|tbody|tr|th|td)(?: (?:class|scope|colspan)="[a-z0-9 ]*")*>/g
  expect(html.replaceAll(known, '').replace('</html>', '')).not.toMatch(/[<>]/)
})

test('control characters and half surrogates do not reach the page', () => {
  expect(printed({ billing_name: 'A\u0000B\u001bC\ud800D' })).toContain('A\ufffdB\ufffdC\ufffdD')
})

test('a string in the style sheet ends neither itself nor the style element', () => {
  expect(cssString('A-1"; } </style>\\\n')).toBe('"A-1\\22 \\3b  \\7d  \\3c \\2f style\\3e \\5c \\a "')
})

test('only fonts for the letters that occur are carried', () => {
  const faces = (html: string) => html.match(/@font-face/g)?.length
  const page = (name: string) => invoiceHtml({ number: 'A-0001', issuedAt: new Date(0), source: { ...source, billing_name: name } })
  expect(faces(page('Ada'))).toBe(2)
  expect(faces(page('Łódź'))).toBe(4)
  expect(faces(page('Київ, Αθήνα, Nguyễn, Łódź'))).toBeGreaterThanOrEqual(10)
})
