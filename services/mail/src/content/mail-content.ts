import { hasVisibleCharacter } from '@quittance/contracts/display-name'

/** Text of a seller, a customer or a format: shown as it is, isolated from the direction of the sentence. */
export interface InsertedValue {
  value: string
}

/** Own words with inserted values. */
export type Sentence = readonly (string | InsertedValue)[]

/** A labelled value; the last one of a sum is emphasized. */
export interface Fact {
  label: string
  value: string
  isEmphasized?: true
  /** A long value, which is shown on several lines where there is no room. Amounts and dates are not. */
  mayBreak?: true
}

/** A link to this installation. */
export interface Link {
  label: string
  url: string
}

/** Everything that a mail states. The two renderers show all of it and nothing else, so that HTML and text agree. */
export interface MailContent {
  /** BCP 47. */
  locale: string
  direction: 'ltr' | 'rtl'
  subject: string
  seller: string
  title: string
  sentences: readonly Sentence[]
  /** A code to type, shown large. */
  code: string | null
  /** Sold lines with their amounts. */
  lines: readonly Fact[]
  facts: readonly Fact[]
  notes: readonly Sentence[]
  action: Link | null
  /** Further links, below the notes. */
  links: readonly Link[]
  footer: Sentence
}

type Values = Readonly<Record<string, string>>

/** Inserts values into words: `{name}` becomes the value of that name. Throws if there is none. */
export function fillSentence(template: string, values: Values): Sentence {
  return template
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((part) => (part.startsWith('{') ? { value: requireValue(values, part.slice(1, -1)) } : part))
}

/** The same as plain text, for the subject. */
export function fillText(template: string, values: Values): string {
  return fillSentence(template, values)
    .map((piece) => (typeof piece === 'string' ? piece : piece.value))
    .join('')
}

function requireValue(values: Values, name: string): string {
  const value = values[name]
  if (value === undefined) throw new Error(`The words need a value for {${name}}`)
  return value
}

const maxValueLength = 200

/**
 * Returns text from outside as it may be shown: without control, format and line-breaking characters, which could disguise the rest of the
 * mail or start a header, and of bounded length.
 */
export function toVisible(text: string, fallback = '–'): string {
  const visible = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
  if (!hasVisibleCharacter(visible)) return fallback
  return visible.length > maxValueLength ? `${visible.slice(0, maxValueLength - 1).toWellFormed()}…` : visible
}

/**
 * Returns text that a stranger may have typed into a mail to anyone. Mail programs link words such as `example.com` by themselves: an invisible
 * WORD JOINER behind the dot prevents it.
 */
export function toUnlinked(text: string): string {
  return toVisible(text).replaceAll(/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '.\u2060')
}
