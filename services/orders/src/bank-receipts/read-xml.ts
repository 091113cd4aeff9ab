import sax from 'sax'

/** An element with its name without prefix. */
export interface XmlElement {
  name: string
  namespace: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
  /** Text of the element itself, without that of its children. */
  text: string
}

const maxDepth = 40
const maxElements = 60_000

/** The parser compares each attribute with all before it, and copies prefixes slowly. Documents of banks have a few of both. */
const maxTagLength = 4_000
const maxPrefixes = 100

/** The document is not XML, or has a document type, or is nested too deeply or too large. */
export class UnreadableXml extends Error {}

/** Reads a document into a tree. Document types are rejected, so no entity can be declared; unknown entities are rejected too. */
export function readXml(document: string): XmlElement {
  const parser = sax.parser(true, { xmlns: true, trim: true })
  const open: XmlElement[] = []
  let root: XmlElement | undefined
  let count = 0
  let prefixes = 0
  let isInTag = false
  const reject = (message: string) => {
    throw new UnreadableXml(message)
  }
  const addText = (text: string) => {
    const current = open.at(-1)
    if (current) current.text += text
  }
  const addElement = ({ local, uri, attributes }: sax.QualifiedTag) => {
    isInTag = false
    if (++count > maxElements || open.length >= maxDepth) reject('It is too large or too deep.')
    const entries = Object.values(attributes).map(({ local: name, value }) => [name, value] as const)
    const element: XmlElement = { name: local, namespace: uri, attributes: Object.fromEntries(entries), children: [], text: '' }
    const parent = open.at(-1)
    if (parent) parent.children.push(element)
    else root ??= element
    open.push(element)
  }
  Object.assign(parser, {
    // Long comments are no error: the document is short.
    bufferCheckPosition: Number.POSITIVE_INFINITY,
    onerror: () => reject('It is not well-formed XML.'),
    ondoctype: () => reject('It has a document type.'),
    onopentagstart: () => void (isInTag = true),
    onopennamespace: ({ prefix }: { prefix: string }) => void (prefix && ++prefixes > maxPrefixes && reject('It has too many prefixes.')),
    onopentag: addElement,
    onclosetag: () => void open.pop(),
    ontext: addText,
    oncdata: addText,
  })
  for (let start = 0; start < document.length; start += maxTagLength) {
    const before = count
    const isOpen = isInTag
    parser.write(document.slice(start, start + maxTagLength))
    if (isOpen && isInTag && count === before) reject('A tag is too long.')
  }
  parser.close()
  return root ?? reject('It is empty.')
}

/** Returns the child elements at a path. */
export function findAll(element: XmlElement | undefined, path: string): XmlElement[] {
  return path
    .split('/')
    .reduce<XmlElement[]>(
      (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      element ? [element] : [],
    )
}

/** Returns the text of the first element at one of the paths that has one; null if none has. */
export function findText(element: XmlElement | undefined, ...paths: string[]): string | null {
  for (const path of paths) {
    const text = findAll(element, path)[0]?.text
    if (text) return text
  }
  return null
}
