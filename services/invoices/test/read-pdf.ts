import { decodePDFRawStream, PDFDocument, PDFRawStream, type PDFPage } from '@cantoo/pdf-lib'
import { extractText, getDocumentProxy, getResolvedPDFJS } from 'unpdf'

/** The text of each page as a common extractor finds it: in compatible forms, with plain spaces and without marks of direction. */
export async function pagesOf(pdf: Uint8Array): Promise<string[]> {
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
  /** Glyph ids that are drawn; 0 is the box that stands for a missing letter. */
  glyphs: Set<number>
}

export interface Drawing {
  fonts: Iterable<DrawnFont>
  /** In the order of drawing and without spaces. Where glyphs are not letters one by one, what the PDF says they stand for. */
  text: string
}

/** What a PDF draws, glyph by glyph, as a reader loads it. */
export async function drawingOf(pdf: Uint8Array): Promise<Drawing> {
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
  const actualTexts = actualTextsOf(content)
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
      // The reader tells that a span with a text of its own begins, but not the text.
      const hasOwnText = args[0] === 'Span' && args[1] === undefined
      open.push(hasOwnText)
      if (hasOwnText) text += actualTexts.shift() ?? ''
    }
    if (operator === OPS.endMarkedContent) open.pop()
    if (operator !== OPS.showText) continue
    // Fonts are embedded with `Identity-H`, so a code is a glyph id. What is no object is a gap.
    for (const glyph of (args[0] as (Glyph | number)[]).filter((one) => typeof one === 'object')) {
      font?.glyphs.add(glyph.originalCharCode)
      if (!open.includes(true)) text += glyph.unicode
    }
  }
  return text
}

function actualTextsOf({ node }: PDFPage): string[] {
  const stream = node.Contents()
  if (!(stream instanceof PDFRawStream)) throw new Error('A page has one content stream')
  const source = Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1')
  return [...source.matchAll(/\/ActualText\s*<FEFF([0-9A-F]*)>/gi)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').swap16().toString('utf16le'),
  )
}
