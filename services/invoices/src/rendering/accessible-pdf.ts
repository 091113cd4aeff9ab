import { deflateSync, inflateSync } from 'node:zlib'
import { addEntries, textString } from './pdf-text.ts'
import type { PdfObject, PrintedPdf } from './read-printed-pdf.ts'

/**
 * Completes what PDF/UA-1 (ISO 14289-1) requires and Chromium does not write: everything drawn outside of the tags is an artifact (7.1),
 * annotations follow the structure (7.18.3), and links have a description (7.18.5).
 */
export function completeAccessibility({ objects }: Pick<PrintedPdf, 'objects'>, linkDescription: string): void {
  for (const [number, object] of objects) {
    if (object.stream) continue
    const { text } = object
    if (/^<<\s*\/Type \/Page\s/.test(text)) completePage(objects, { number, text })
    else if (/^<<\s*\/Type \/Annot\s/.test(text)) {
      objects.set(number, { text: addEntries(text, { Contents: textString(linkDescription) }), stream: null })
    }
  }
}

function completePage(objects: Map<number, PdfObject>, { number, text }: { number: number; text: string }): void {
  const contents = Number(/\/Contents (\d+) 0 R/.exec(text)?.[1])
  const content = objects.get(contents)
  if (content?.stream) objects.set(contents, markStream(content.text, content.stream))
  // Chromium writes it for pages with tags only.
  if (!/\/Tabs \/S\b/.test(text)) objects.set(number, { text: addEntries(text, { Tabs: '/S' }), stream: null })
}

/** A third less time than the default, 6, and as small within a few per cent. */
const contentLevel = 5

function markStream(dictionary: string, stream: Buffer): PdfObject {
  if (dictionary.includes('/DecodeParms')) throw new Error('The content of a page has parameters')
  const content = dictionary.includes('/FlateDecode') ? inflateSync(stream) : stream
  const marked = deflateSync(Buffer.from(markArtifacts(content.toString('latin1')), 'latin1'), { level: contentLevel })
  return { text: `<</Filter /FlateDecode /Length ${marked.length}>>`, stream: marked }
}

/**
 * Marks the text, lines and pictures of a content stream that have no tag as artifacts. Chromium writes one operator per line and texts as
 * hexadecimal strings.
 */
export function markArtifacts(content: string): string {
  let marked = ''
  /** End of what is in `marked`. */
  let copied = 0
  let depth = 0
  /** Start of a path or text that is not complete; null if there is none. */
  let openAt: number | null = null
  let isInText = false
  for (let start = 0, end = 0; start < content.length; start = end + 1) {
    end = content.indexOf('\n', start)
    if (end < 0) end = content.length
    const operator = content.slice(Math.max(start, content.lastIndexOf(' ', end - 1) + 1), end)
    if (operator === 'EMC') depth -= 1
    const role = depth > 0 ? 'other' : findRole(operator, isInText)
    if (operator === 'BMC' || operator.endsWith('BDC')) depth += 1
    if (role === 'part') {
      isInText ||= openAt === null && operator === 'BT'
      openAt ??= start
      continue
    }
    if (role === 'drawn') {
      const from: number = openAt ?? start
      marked += `${content.slice(copied, from)}/Artifact BMC\n${content.slice(from, end)}\nEMC`
      copied = end
    }
    openAt = null
    isInText = false
  }
  return marked + content.slice(copied)
}

const pathOperators = new Set(['m', 'l', 'c', 'v', 'y', 'h', 're', 'W', 'W*'])
const paintOperators = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'S', 's', 'ET', 'Do', 'sh'])

/** Whether an operator belongs to a path or text, paints it, or does neither, such as the end of a clipping path. */
function findRole(operator: string, isInText: boolean): 'part' | 'drawn' | 'other' {
  if (paintOperators.has(operator)) return 'drawn'
  return operator === 'BT' || isInText || pathOperators.has(operator) ? 'part' : 'other'
}
