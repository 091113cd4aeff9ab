/** An element without its namespace prefix. Supports only the XML that this service writes: no comments, no CDATA, no mixed content. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  text: string
  children: XmlElement[]
}

const token = /<\?[^?]*\?>|<\/([\w:.-]+)>|<([\w:.-]+)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy

/** Parses XML. Throws if the text is not well-formed. */
export function parseXml(xml: string): XmlElement {
  const document: XmlElement = { name: '', attributes: {}, text: '', children: [] }
  const open: XmlElement[] = [document]
  token.lastIndex = 0
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex
    const match = token.exec(xml)
    const parent = open.at(-1)
    if (!match || !parent) throw new Error(`Not well-formed at ${at}: ${xml.slice(at, at + 40)}`)
    const [, closed, opened, attributes = '', isEmpty, text] = match
    if (closed && (open.length < 2 || localName(closed) !== open.pop()?.name)) throw new Error(`Unexpected </${closed}>`)
    if (text) parent.text += unescapeXml(text)
    if (!opened) continue
    const element: XmlElement = { name: localName(opened), attributes: parseAttributes(attributes), text: '', children: [] }
    parent.children.push(element)
    if (!isEmpty) open.push(element)
  }
  const root = document.children[0]
  if (!root || document.children.length > 1 || open.length > 1) throw new Error('Expected exactly one complete root element')
  return root
}

/** Returns all elements at the end of a path of names. */
export function all(element: XmlElement, path: string): XmlElement[] {
  return path
    .split('/')
    .reduce<XmlElement[]>((found, name) => found.flatMap((each) => each.children.filter((child) => child.name === name)), [element])
}

/** Returns the text at the end of a path, or null if the path does not exist. Throws if it exists more than once. */
export function textAt(element: XmlElement, path: string): string | null {
  const found = all(element, path)
  if (found.length > 1) throw new Error(`${path} exists ${found.length} times`)
  return found[0]?.text ?? null
}

/** Converts the model of `@e-invoice-eu/core` to the element that UBL writes for it. */
export function toXmlElement(name: string, value: unknown): XmlElement {
  const element: XmlElement = { name: localName(name), attributes: {}, text: '', children: [] }
  if (typeof value === 'string') return { ...element, text: value }
  const fields = Object.entries(value as Record<string, unknown>)
  for (const [key, field] of fields) {
    if (key.includes('@')) continue
    for (const each of Array.isArray(field) ? field : [field]) element.children.push(toXmlElement(key, each))
  }
  return element
}

function localName(name: string): string {
  return name.split(':').at(-1) as string
}

function parseAttributes(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, name, value]) => [name, unescapeXml(value as string)]))
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|(\w+));|&/gi, (whole, code: string | undefined, name: string | undefined) => {
    const character = code ? String.fromCodePoint(Number.parseInt(code, 16)) : entities[name ?? '']
    if (character === undefined) throw new Error(`Not an entity: ${whole}`)
    return character
  })
}
