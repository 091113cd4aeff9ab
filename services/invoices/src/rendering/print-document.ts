import type { Logger } from '@quittance/runtime/logger'
import type { SharedBrowser } from './browser.ts'
import { compactPdf } from './compact-pdf.ts'
import { documentLanguage } from './document-language.ts'
import { documentPage, documentTitle } from './document-template.ts'
import type { DocumentModel } from './document-model.ts'
import { renderPdf } from './render-pdf.ts'

export interface PrintRequest {
  /** Organization that issues the document. */
  owner: string
  document: DocumentModel
  log: Logger
}

export interface PrintedDocument {
  pdf: Uint8Array
  /** Characters that no font contains: they are printed as boxes. */
  unprintable: string[]
}

/** Prints a document as a tagged PDF with embedded fonts and minimal size. It is declared as accessible unless it has boxes. */
export async function printDocument(browser: SharedBrowser, { owner, document, log }: PrintRequest): Promise<PrintedDocument> {
  const { html, unprintable } = documentPage(document)
  const printed = await renderPdf(browser, { owner, html, log })
  const language = documentLanguage(document.locale)
  const title = documentTitle(document, language)
  const accessible = unprintable.length === 0 && { accessible: { language: language.locale, link: language.strings.verify } }
  const pdf = await compactPdf(printed, { title, author: document.seller.name, ...accessible, owner, log })
  return { pdf, unprintable }
}
