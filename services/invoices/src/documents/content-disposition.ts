/** Shown in the browser, saved under this name (RFC 6266). The plain form is for clients that do not read the encoded one. */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replaceAll(/[^\w.-]/g, '_')
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`
}
