import type { Logger } from '@quittance/runtime/logger'
import type { SharedBrowser } from './browser.ts'
import { compactPdf } from './compact-pdf.ts'
import { documentLanguage } from './document-language.ts'
import { documentHtml, documentTitle } from './document-template.ts'
import type { DocumentModel } from './document-model.ts'
import { renderPdf } from './render-pdf.ts'

export interface PrintRequest {
  /** Organization that issues the document. */
  owner: string
  document: DocumentModel
  log: Logger
}

/** Prints a document as a tagged PDF with embedded fonts and minimal size. */
export async function printDocument(browser: SharedBrowser, { owner, document, log }: PrintRequest): Promise<Uint8Array> {
  const pdf = await renderPdf(browser, { owner, html: documentHtml(document), log })
  const title = documentTitle(document, documentLanguage(document.locale))
  return compactPdf(pdf, { title, author: document.seller.name, owner, log })
}
