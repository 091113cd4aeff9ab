import type { Logger } from '@quittance/runtime/logger'
import { converter } from '../electronic/converter-component.ts'
import { findElectronicBlockers } from '../electronic/electronic-blockers.ts'
import { findProfileBlockers } from '../electronic/profile-blockers.ts'
import { browser } from '../rendering/browser-component.ts'
import { printDocument } from '../rendering/print-document.ts'
import { parseSnapshot, type DocumentSnapshot } from './document-snapshot.ts'

/** A rendered document, ready to be stored. */
export interface RenderedDocument {
  content: Uint8Array
  format: 'pdf' | 'factur-x'
  /** Reasons why the document is not the electronic invoice that the seller wants. */
  notElectronic: string[]
}

interface RenderRequest {
  /** Organization that issues the document. */
  owner: string
  snapshot: DocumentSnapshot
  log: Logger
}

/** Prints a document and converts it to an electronic invoice if the seller wants one and the data suffice. */
export async function renderDocument({ owner, snapshot, log }: RenderRequest): Promise<RenderedDocument> {
  const document = parseSnapshot(snapshot)
  const { pdf: content, unprintable } = await printDocument(browser, { owner, document, log })
  if (!snapshot.electronic) return { content, format: 'pdf', notElectronic: [] }
  const notElectronic = [...findElectronicBlockers(document), ...describeUnprintable(unprintable)]
  if (notElectronic.length > 0) return { content, format: 'pdf', notElectronic }
  const notProfile = findProfileBlockers(document)
  return { content: await converter.facturX(owner, { pdf: content, document }), format: 'factur-x', notElectronic: notProfile }
}

/** PDF/A permits no character without a glyph (ISO 19005-3, 6.2.11.8). */
function describeUnprintable(missing: readonly string[]): string[] {
  return missing.length > 0 ? [`No font contains these characters: ${missing.slice(0, 20).join(' ')}`] : []
}
