import type { Logger } from '@quittance/runtime/log'
import { converter } from '../electronic/open-converter.ts'
import { whyNotElectronic } from '../electronic/why-not-electronic.ts'
import { browser } from '../rendering/open-browser.ts'
import { printDocument } from '../rendering/print-document.ts'
import { thawed, type FrozenDocument } from './frozen-document.ts'

/** A document as it will be stored. */
export interface Made {
  content: Uint8Array
  format: 'pdf' | 'factur-x'
  /** Why it is no electronic invoice although the seller wants them. */
  notElectronic: string[]
}

/** Prints a document, and makes it an electronic invoice where the seller wants that and the data suffice. */
export async function makeDocument(frozen: FrozenDocument, log: Logger): Promise<Made> {
  const document = thawed(frozen)
  const content = await printDocument(browser, { document, log })
  if (!frozen.electronic) return { content, format: 'pdf', notElectronic: [] }
  const notElectronic = whyNotElectronic(document)
  if (notElectronic.length > 0) return { content, format: 'pdf', notElectronic }
  return { content: await converter.facturX(content, document), format: 'factur-x', notElectronic }
}
