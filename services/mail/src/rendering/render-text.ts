import type { MailContent, Sentence } from '../content/mail-content.ts'

const width = 72
/** First-strong isolate and its end: a value in another script does not change the direction of the sentence. */
const [isolateStart, isolateEnd] = ['\u2068', '\u2069']

/** Renders a mail as plain text. Contains everything that `renderHtml` contains. */
export function renderText(content: MailContent): string {
  const { title, sentences, code, lines, facts, notes, action, links, footer, seller } = content
  const paragraph = (sentence: Sentence) => wrap(toText(content, sentence))
  const blocks = [
    wrap(title),
    ...sentences.map(paragraph),
    code ?? '',
    [...lines, ...facts].map(({ label, value }) => `${isolate(content, label)}: ${isolate(content, value)}`).join('\n'),
    ...notes.map(paragraph),
    ...[action, ...links].map((link) => (link ? `${link.label}:\n${link.url}` : '')),
    `-- \n${isolate(content, seller)}\n${paragraph(footer)}`,
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

function toText(content: MailContent, sentence: Sentence): string {
  return sentence.map((piece) => (typeof piece === 'string' ? piece : isolate(content, piece.value))).join('')
}

/** Isolation marks are only added where scripts of two directions meet: some readers show them as boxes. */
function isolate({ direction }: MailContent, value: string): string {
  const isForeign = direction === 'rtl' ? /[\p{Script=Latin}\p{N}]/u.test(value) : /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(value)
  return isForeign ? `${isolateStart}${value}${isolateEnd}` : value
}

/** Breaks lines at spaces; words longer than a line stay whole. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
