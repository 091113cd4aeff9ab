import { accessibleDeclaration, buildMetadata, type DocumentDescription } from '../rendering/document-metadata.ts'

export interface DocumentMetadata extends DocumentDescription {
  /** Date of the document, not of its rendering. */
  date: Date
  profile: EmbeddedProfile
  /** Whether the pages are declared as PDF/UA. */
  isAccessible: boolean
}

/** Rules that an embedded invoice can follow. */
export type EmbeddedProfile = 'en16931' | 'xrechnung'

/** File names under which readers of Factur-X and ZUGFeRD look for the XML. */
export const xmlFileNames: Readonly<Record<EmbeddedProfile, string>> = { en16931: 'factur-x.xml', xrechnung: 'xrechnung.xml' }
const conformanceLevels: Readonly<Record<EmbeddedProfile, string>> = { en16931: 'EN 16931', xrechnung: 'XRECHNUNG' }

/**
 * Builds the XMP packet of a Factur-X document: PDF/A-3B, the embedded invoice, and the description of the fields, which PDF/A requires for
 * schemas that it does not define.
 */
export function facturXMetadata({ date, profile, isAccessible, ...description }: DocumentMetadata): Uint8Array {
  const at = date.toISOString().replace(/\.\d+Z$/, 'Z')
  return buildMetadata(description, [
    `<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
<pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description>
<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/"><xmp:CreatorTool>${description.producer}</xmp:CreatorTool>
<xmp:CreateDate>${at}</xmp:CreateDate><xmp:ModifyDate>${at}</xmp:ModifyDate><xmp:MetadataDate>${at}</xmp:MetadataDate></rdf:Description>
${extensionSchemas(isAccessible)}
<rdf:Description rdf:about="" xmlns:fx="${facturXNamespace}"><fx:DocumentType>INVOICE</fx:DocumentType>
<fx:DocumentFileName>${xmlFileNames[profile]}</fx:DocumentFileName><fx:Version>1.0</fx:Version><fx:ConformanceLevel>${conformanceLevels[profile]}</fx:ConformanceLevel></rdf:Description>`,
    ...(isAccessible ? [accessibleDeclaration] : []),
  ])
}

const facturXNamespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'

const properties = {
  DocumentFileName: 'The name of the embedded XML document',
  DocumentType: 'The type of the hybrid document in capital letters',
  Version: 'The version of the standard of the embedded XML document',
  ConformanceLevel: 'The conformance level of the embedded XML document',
}

/** Describes the schemas that PDF/A does not define. */
function extensionSchemas(isAccessible: boolean): string {
  const schemas = [
    schema(
      { name: 'Factur-X PDFA Extension Schema', namespace: facturXNamespace, prefix: 'fx' },
      Object.entries(properties).map(property('Text')),
    ),
  ]
  if (isAccessible) {
    const universal = { name: 'PDF/UA Universal Accessibility Schema', namespace: 'http://www.aiim.org/pdfua/ns/id/', prefix: 'pdfuaid' }
    schemas.push(schema(universal, [property('Integer', 'internal')(['part', 'Indicates, which part of ISO 14289 standard is followed'])]))
  }
  return `<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag>${schemas.join('')}</rdf:Bag></pdfaExtension:schemas></rdf:Description>`
}

function schema({ name, namespace, prefix }: { name: string; namespace: string; prefix: string }, described: readonly string[]): string {
  return `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>${name}</pdfaSchema:schema>
<pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI><pdfaSchema:prefix>${prefix}</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>${described.join('')}</rdf:Seq></pdfaSchema:property></rdf:li>`
}

function property(type: 'Text' | 'Integer', category = 'external') {
  return ([name, description]: readonly [
    string,
    string,
  ]) => `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>
<pdfaProperty:valueType>${type}</pdfaProperty:valueType><pdfaProperty:category>${category}</pdfaProperty:category>
<pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`
}
