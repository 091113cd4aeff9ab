import { completeAccessibility } from './accessible-pdf.ts'
import { accessibleMetadata } from './document-metadata.ts'
import { readPrintedPdf, type PrintedPdf } from './read-printed-pdf.ts'
import { addEntries, textString } from './pdf-text.ts'
import { writeCompactPdf } from './write-compact-pdf.ts'

export interface PdfMetadata {
  title: string
  author: string
  /** Absent for a document that is not declared as PDF/UA: a character of it has no glyph. */
  accessible?: {
    language: string
    /** Description of the links. */
    link: string
  }
}

const producer = 'Quittance'

/**
 * Rewrites a PDF of Chromium with compressed object streams, which reduces the size of tags to a fifth, and without the name of the browser.
 * Tags, language and fonts are unchanged; what PDF/UA requires besides is added. Throws if the file has another structure than Chromium's.
 */
export function compactBytes(pdf: Uint8Array, { title, author, accessible }: PdfMetadata): Uint8Array {
  const printed = readPrintedPdf(pdf)
  describe(printed, { title, author })
  if (accessible) declareAccessible(printed, { title, author, ...accessible })
  return writeCompactPdf(printed)
}

function describe({ objects, root, info }: PrintedPdf, { title, author }: { title: string; author: string }): void {
  const printed = objects.get(info)?.text ?? ''
  const dates = ['CreationDate', 'ModDate'].flatMap((name) => new RegExp(`/${name} \\(D:[0-9+\\-Z']+\\)`).exec(printed)?.[0] ?? [])
  const names = { Title: textString(title), Author: textString(author), Creator: `(${producer})`, Producer: `(${producer})` }
  objects.set(info, { text: addEntries(`<<${dates.join('\n')}>>`, names), stream: null })
  const catalog = objects.get(root)?.text ?? ''
  if (!catalog.includes('/ViewerPreferences')) addToCatalog({ objects, root }, { ViewerPreferences: '<</DisplayDocTitle true>>' })
}

function declareAccessible(
  printed: PrintedPdf,
  { link, ...description }: { title: string; author: string; language: string; link: string },
): void {
  completeAccessibility(printed, link)
  const packet = Buffer.from(accessibleMetadata({ ...description, producer }))
  const number = Math.max(...printed.objects.keys()) + 1
  printed.objects.set(number, { text: `<</Type /Metadata /Subtype /XML /Length ${packet.length}>>`, stream: packet })
  addToCatalog(printed, { Metadata: `${number} 0 R` })
}

function addToCatalog({ objects, root }: Pick<PrintedPdf, 'objects' | 'root'>, entries: Readonly<Record<string, string>>): void {
  objects.set(root, { text: addEntries(objects.get(root)?.text ?? '', entries), stream: null })
}
