import { decodePDFRawStream, PDFDocument, PDFRawStream, type PDFPage } from '@cantoo/pdf-lib'
import { extractText, getDocumentProxy, getResolvedPDFJS } from 'unpdf'

/** Returns the text of each page as extracted by a common library: NFKC, with plain spaces and without direction marks. */
export async function extractPages(pdf: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(pdf.slice()))
  return text.map((page) =>
    page
      .normalize('NFKC')
      .replaceAll(/[\u200e\u200f\u061c]/g, '')
      .replaceAll(/\s+/g, ' '),
  )
}

export interface DrawnFont {
  name: string
  isEmbedded: boolean
  /** Ids of the drawn glyphs; 0 is the box of a missing glyph. */
  glyphs: Set<number>
}

export interface Drawing {
  fonts: Iterable<DrawnFont>
  /** In drawing order and without spaces. Where glyphs do not map to characters one to one, the replacement text of the PDF. */
  text: string
}

/** Returns what a PDF draws, glyph by glyph, as loaded by a reader. */
export async function extractDrawing(pdf: Uint8Array): Promise<Drawing> {
  const document = await getDocumentProxy(pdf.slice())
  const contents = (await PDFDocument.load(pdf)).getPages()
  const fonts = new Map<string, DrawnFont>()
  let text = ''
  for (const [index, content] of contents.entries()) text += await drawPage(await document.getPage(index + 1), { content, fonts })
  return { fonts: fonts.values(), text: text.normalize('NFKC').replaceAll(/[\s\u200e\u200f]/g, '') }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>
interface Glyph {
  originalCharCode: number
  unicode: string
}

async function drawPage(page: Page, { content, fonts }: { content: PDFPage; fonts: Map<string, DrawnFont> }): Promise<string> {
  const { OPS } = await getResolvedPDFJS()
  const actualTexts = extractActualTexts(content)
  const { fnArray, argsArray } = await page.getOperatorList()
  const open: boolean[] = []
  let font: DrawnFont | undefined
  let text = ''
  for (const [index, operator] of fnArray.entries()) {
    const args = (argsArray[index] ?? []) as unknown[]
    if (operator === OPS.setFont) {
      const { name, missingFile } = page.commonObjs.get(args[0] as string) as { name: string; missingFile: boolean }
      font = fonts.get(name) ?? { name, isEmbedded: !missingFile, glyphs: new Set() }
      fonts.set(name, font)
    }
    if (operator === OPS.beginMarkedContent) open.push(false)
    if (operator === OPS.beginMarkedContentProps) {
      // The library reports the start of a span with replacement text, but not the text.
      const hasOwnText = args[0] === 'Span' && args[1] === undefined
      open.push(hasOwnText)
      if (hasOwnText) text += actualTexts.shift() ?? ''
    }
    if (operator === OPS.endMarkedContent) open.pop()
    if (operator !== OPS.showText) continue
    // Fonts are embedded with `Identity-H`, so a code is a glyph id. Items that are not objects are gaps.
    for (const glyph of (args[0] as (Glyph | number)[]).filter((one) => typeof one === 'object')) {
      font?.glyphs.add(glyph.originalCharCode)
      if (!open.includes(true)) text += glyph.unicode
    }
  }
  return text
}

function extractActualTexts({ node }: PDFPage): string[] {
  const stream = node.Contents()
  if (!(stream instanceof PDFRawStream)) throw new Error('A page has one content stream')
  const source = Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1')
  return [...source.matchAll(/\/ActualText\s*<FEFF([0-9A-F]*)>/gi)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').swap16().toString('utf16le'),
  )
}
