export interface DocumentDescription {
  title: string
  author: string
  producer: string
  language: string
}

/** Declares PDF/UA-1 (ISO 14289-1, 5). */
export const accessibleDeclaration = `<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>`

/** Builds an XMP packet from a description and further `rdf:Description` elements. The byte order mark is the only indication of UTF-8. */
export function buildMetadata({ title, author, producer, language }: DocumentDescription, parts: readonly string[]): Uint8Array {
  const packet = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>
<dc:language><rdf:Bag><rdf:li>${escapeXml(language)}</rdf:li></rdf:Bag></dc:language></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"><pdf:Producer>${escapeXml(producer)}</pdf:Producer></rdf:Description>
${parts.join('\n')}
</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`
  return new TextEncoder().encode(packet)
}

/** Builds the XMP packet of an accessible document. */
export function accessibleMetadata(description: DocumentDescription): Uint8Array {
  return buildMetadata(description, [accessibleDeclaration])
}

/** Whether an XMP packet declares PDF/UA. */
export function isDeclaredAccessible(packet: Uint8Array): boolean {
  return new TextDecoder().decode(packet).includes('<pdfuaid:part>1<')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
