import type { Invoice } from '@e-invoice-eu/core'
import type { DocumentModel } from '../rendering/document-model.ts'
import { buildElectronicInvoice } from './electronic-invoice.ts'
import { mapText } from './en16931-fields.ts'
import type { Profile } from './profile-blockers.ts'

/** Writes UBL 2.1: an Invoice or a CreditNote. */
export async function ublXml(document: DocumentModel, profile: Profile = 'en16931'): Promise<string> {
  return writeXml('UBL', buildElectronicInvoice(document, profile))
}

/** Writes UN/CEFACT Cross Industry Invoice D16B, the syntax embedded in Factur-X. */
export async function ciiXml(document: DocumentModel, profile: Profile = 'en16931'): Promise<string> {
  const invoice = buildElectronicInvoice(document, profile)
  return withPrecedingInvoice(await writeXml('CII', invoice), invoice)
}

/**
 * Loads the library at first use, which takes half a second and 60 MB. Its public API compiles the JSON schema for every invoice and
 * requires Peppol addresses of both parties, so this function calls the format service directly. Tests validate the model against that
 * schema.
 */
async function writeXml(format: 'UBL' | 'CII', invoice: Invoice): Promise<string> {
  const { FormatFactoryService } = await import('@e-invoice-eu/core')
  const service = new FormatFactoryService().createFormatService(format, silent)
  return (await service.generate(escapeForWriter(invoice), { format, lang: 'en' })) as string
}

/**
 * The writer of the library parses a text as markup once and keeps resulting entities: `R&D;` would not be well-formed, and `&lt;` would
 * become `<`. An ampersand escaped twice is written escaped once.
 */
function escapeForWriter(invoice: Invoice): Invoice {
  return mapText(invoice, (text) => text.replaceAll('&', '&amp;amp;'))
}

const silent = { log: () => {}, warn: () => {}, error: () => {} }

/** Adds BG-3, which `@e-invoice-eu/core` 2.3.4 omits from CII: it looks for the number one level too high. */
function withPrecedingInvoice(xml: string, invoice: Invoice): string {
  const reference = invoice['ubl:Invoice']['cac:BillingReference']?.[0]?.['cac:InvoiceDocumentReference']
  if (!reference || xml.includes('<ram:InvoiceReferencedDocument>')) return xml
  const number = reference['cbc:ID'].replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const date = reference['cbc:IssueDate']?.replaceAll('-', '')
  const element = `<ram:InvoiceReferencedDocument><ram:IssuerAssignedID>${number}</ram:IssuerAssignedID><ram:FormattedIssueDateTime><qdt:DateTimeString format="102">${date}</qdt:DateTimeString></ram:FormattedIssueDateTime></ram:InvoiceReferencedDocument>`
  const end = '</ram:SpecifiedTradeSettlementHeaderMonetarySummation>'
  return xml.replace(end, () => `${end}\n\t\t\t${element}`)
}
