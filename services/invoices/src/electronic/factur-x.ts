import { createHash } from 'node:crypto'
import {
  AFRelationship,
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFRawStream,
  PDFString,
} from '@cantoo/pdf-lib'
import { isDeclaredAccessible } from '../rendering/document-metadata.ts'
import type { DocumentModel } from '../rendering/document-model.ts'
import { facturXMetadata, xmlFileNames, type EmbeddedProfile } from './factur-x-metadata.ts'
import { ciiXml } from './invoice-xml.ts'
import { effectiveProfile } from './profile-blockers.ts'
import { srgbProfile } from './srgb-profile.ts'
import { xmlText } from './en16931-fields.ts'

const producer = 'Quittance'

/**
 * Converts the printed document to Factur-X, profile EN 16931: PDF/A-3B with the same data embedded as XML. Tags, language, fonts and title
 * stay as printed. The conversion of `@e-invoice-eu/core` 2.3.4 is not used because it empties the tag tree and garbles names beyond
 * Latin-1. Throws `ElectronicInvoiceError`.
 */
export async function facturX(pdf: Uint8Array, document: DocumentModel): Promise<Uint8Array> {
  // Peppol exchanges UBL only, so a document for it contains the core rules.
  const profile = effectiveProfile(document) === 'xrechnung' ? 'xrechnung' : 'en16931'
  const xml = await ciiXml(document, profile)
  const file = await PDFDocument.load(pdf, { updateMetadata: false })
  await attachXml(file, { xml, date: document.issuedAt, fileName: xmlFileNames[profile] })
  setMetadata(file, document, profile)
  setOutputIntent(file)
  printAnnotations(file)
  // ISO 19005-3, 6.1.3. Equal documents have equal identifiers.
  const id = PDFHexString.of(createHash('sha256').update(xml).digest('hex').slice(0, 32))
  file.context.trailerInfo.ID = file.context.obj([id, id])
  return file.save({ useObjectStreams: true, updateFieldAppearances: false })
}

/** The XML has the same content as the pages, which PDF/A-3 calls an alternative. */
async function attachXml(file: PDFDocument, { xml, date, fileName }: { xml: string; date: Date; fileName: string }): Promise<void> {
  await file.attach(new TextEncoder().encode(xml), fileName, {
    mimeType: 'text/xml',
    description: 'The invoice as Factur-X',
    creationDate: date,
    modificationDate: date,
    afRelationship: AFRelationship.Alternative,
  })
  await file.flush()
}

function setMetadata(file: PDFDocument, { seller, number, issuedAt, locale }: DocumentModel, profile: EmbeddedProfile): void {
  const title = xmlText(file.getTitle() ?? number)
  const author = xmlText(seller.name)
  const language = file.catalog.lookupMaybe(PDFName.of('Lang'), PDFString, PDFHexString)?.decodeText() ?? locale
  const described = file.catalog.lookup(PDFName.of('Metadata'))
  const isAccessible = described instanceof PDFRawStream && isDeclaredAccessible(decodePDFRawStream(described).decode())
  file.setLanguage(language)
  file.setTitle(title, { showInWindowTitleBar: true })
  file.setAuthor(author)
  file.setCreator(producer)
  file.setProducer(producer)
  file.setCreationDate(issuedAt)
  file.setModificationDate(issuedAt)
  const metadata = facturXMetadata({ title, author, producer, language, date: issuedAt, profile, isAccessible })
  const stream = file.context.stream(metadata, { Type: 'Metadata', Subtype: 'XML' })
  file.catalog.set(PDFName.of('Metadata'), file.context.register(stream))
}

function setOutputIntent(file: PDFDocument): void {
  const profile = file.context.register(file.context.flateStream(srgbProfile(), { N: 3 }))
  const intent = file.context.obj({
    Type: 'OutputIntent',
    S: 'GTS_PDFA1',
    DestOutputProfile: profile,
    OutputConditionIdentifier: PDFString.of('sRGB IEC61966-2.1'),
    Info: PDFString.of('sRGB IEC61966-2.1'),
  })
  file.catalog.set(PDFName.of('OutputIntents'), file.context.obj([file.context.register(intent)]))
}

/** ISO 19005-3, 6.3.2: annotations (here: links) must be printable and not hidden. */
function printAnnotations(file: PDFDocument): void {
  for (const page of file.getPages()) {
    const annotations = page.node.lookupMaybe(PDFName.of('Annots'), PDFArray)
    for (let index = 0; index < (annotations?.size() ?? 0); index++) {
      annotations?.lookup(index, PDFDict).set(PDFName.of('F'), PDFNumber.of(4))
    }
  }
}
