import type { Invoice } from '@e-invoice-eu/core'
import type { PrintedDocument } from '../rendering/printed-document.ts'
import { electronicInvoice } from './electronic-invoice.ts'
import { mapText } from './xml-text.ts'

/** UBL 2.1: an Invoice, or a CreditNote. */
export async function ublXml(document: PrintedDocument): Promise<string> {
  return written('UBL', electronicInvoice(document))
}

/** UN/CEFACT Cross Industry Invoice D16B, as it is embedded in Factur-X. */
export async function ciiXml(document: PrintedDocument): Promise<string> {
  const invoice = electronicInvoice(document)
  return withPrecedingInvoice(await written('CII', invoice), invoice)
}

/**
 * The library is loaded when it is first needed: it takes half a second and 60 MB. Its own entrance compiles the JSON schema for every
 * invoice and demands Peppol addresses of both parties, so the format is asked directly; tests hold the model to that schema.
 */
async function written(format: 'UBL' | 'CII', invoice: Invoice): Promise<string> {
  const { FormatFactoryService } = await import('@e-invoice-eu/core')
  const service = new FormatFactoryService().createFormatService(format, silent)
  return (await service.generate(literal(invoice), { format, lang: 'en' })) as string
}

/**
 * Its writer reads a text as markup once and keeps what then looks like an entity: `R&D;` would not be well-formed, `&lt;` would come
 * back as `<`. An ampersand that is escaped twice comes out escaped once.
 */
function literal(invoice: Invoice): Invoice {
  return mapText(invoice, (text) => text.replaceAll('&', '&amp;amp;'))
}

const silent = { log: () => {}, warn: () => {}, error: () => {} }

/** BG-3, which `@e-invoice-eu/core` 2.3.4 leaves out of CII: it looks for the number one level too high. */
function withPrecedingInvoice(xml: string, invoice: Invoice): string {
  const reference = invoice['ubl:Invoice']['cac:BillingReference']?.[0]?.['cac:InvoiceDocumentReference']
  if (!reference || xml.includes('<ram:InvoiceReferencedDocument>')) return xml
  const number = reference['cbc:ID'].replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const date = reference['cbc:IssueDate']?.replaceAll('-', '')
  const element = `<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>${number}</ram:IssuerAssignedID><ram:FormattedIssueDateTime><qdt:DateTimeString format="102">${date}</qdt:DateTimeString></ram:FormattedIssueDateTime></ram:InvoiceReferencedDocument>`
  const end = '</ram:SpecifiedTradeSettlementHeaderMonetarySummation>'
  return xml.replace(end, () => `${end}\n\t\t\t${element}`)
}
