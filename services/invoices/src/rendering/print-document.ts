import type { Logger } from '@quittance/runtime/log'
import type { SharedBrowser } from './browser.ts'
import { compactPdf } from './compact-pdf.ts'
import { documentLanguage } from './document-language.ts'
import { documentHtml, documentTitle } from './document-template.ts'
import type { PrintedDocument } from './printed-document.ts'
import { renderPdf } from './render-pdf.ts'

export interface DocumentPrinting {
  document: PrintedDocument
  log: Logger
}

/** The document as a PDF: tagged, with its fonts in it, and as small as it gets. */
export async function printDocument(browser: SharedBrowser, { document, log }: DocumentPrinting): Promise<Uint8Array> {
  const pdf = await renderPdf(browser, { html: documentHtml(document), log })
  const title = documentTitle(document, documentLanguage(document.locale))
  return compactPdf(pdf, { title, author: document.seller.name, log })
}
