import { spend, type ComparisonBudget } from './comparison-budget.ts'

const pairCost = 40
const wordCost = 10
const normalizedCharacterCost = 8

/** A text as it is compared: case, accents, punctuation and spaces are left out. */
interface ComparableText {
  words: ReadonlySet<string>
  joined: string
  /** Where words begin in `joined`. */
  starts: readonly number[]
}

/** Payer and text of a credit or receipt, as they are compared. */
export interface ComparableContent {
  payer: ComparableText
  text: ComparableText
}

interface Content {
  payer: string | null
  text: string | null
}

/** Returns payer and text as they are compared. */
export function toComparable({ payer, text }: Content, budget: ComparisonBudget): ComparableContent {
  const content = { payer: normalize(payer), text: normalize(text) }
  // Of what was made: a character can be a ligature of a whole phrase.
  spend(budget, normalizedCharacterCost * (content.payer.joined.length + content.text.joined.length))
  return content
}

function normalize(text: string | null): ComparableText {
  const words = splitWords(text)
  const starts: number[] = []
  let length = 0
  for (const word of words) {
    starts.push(length)
    length += word.length
  }
  return { words: new Set(words), joined: words.join(''), starts }
}

function splitWords(text: string | null): string[] {
  const plain = (text ?? '').normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase()
  return plain.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Returns what is longer of payer and text: the bank completed it. What differs in its form alone stays. */
export function completeContent(known: Content, now: Content): Content {
  const choose = (before: string | null, after: string | null) =>
    splitWords(after).join('').length > splitWords(before).join('').length ? after : before
  return { payer: choose(known.payer, now.payer), text: choose(known.text, now.text) }
}

/** Whether payer and text of one contain those of the other. What has no payer or no text contradicts none. */
export function isCompletion(one: ComparableContent, other: ComparableContent, budget: ComparisonBudget): boolean {
  spend(budget, pairCost + one.payer.joined.length + other.payer.joined.length)
  if (!containsWords(one.payer, other.payer, budget) && !continuesAtWord(one.payer, other.payer)) return false
  spend(budget, one.text.joined.length + other.text.joined.length)
  return containsText(one.text, other.text, budget) || containsWords(one.text, other.text, budget)
}

/** Whether one contains the other, from the begin of a word to the end of one, or to where a bank cut it. Invoice 7 is not a part of Invoice 71. */
function containsText(one: ComparableText, other: ComparableText, budget: ComparisonBudget): boolean {
  const [short, long] = sortByLength(one, other)
  const { length } = short.joined
  if (length === 0) return true
  const isBoundary = (index: number) => index === long.joined.length || long.starts.includes(index)
  for (let start = long.joined.indexOf(short.joined); start >= 0; start = long.joined.indexOf(short.joined, start + 1)) {
    spend(budget, length + 2 * long.starts.length)
    const end = start + length
    if (isBoundary(start) && (isBoundary(end) || isCut(short.joined, long.joined.charAt(end)))) return true
  }
  return false
}

/** A reference of a payment that is not complete: 12 characters follow its check digits (ISO 11649). */
const cutReference = /RF\d{2}[A-Z0-9]{0,11}$/

/** Whether a text was cut within a word or a reference of a payment, by the character that follows. Numbers are compared as a whole. */
function isCut(short: string, next: string): boolean {
  return cutReference.test(short.slice(-15)) || (/\p{L}$/u.test(short) && /\p{L}/u.test(next))
}

/** Whether both have a payer, or both have a text. */
export function haveCommonContent(one: ComparableContent, other: ComparableContent): boolean {
  const has = ({ joined }: ComparableText) => joined !== ''
  return (has(one.payer) && has(other.payer)) || (has(one.text) && has(other.text))
}

/** Whether one has all words of the other, in any order. */
function containsWords(one: ComparableText, other: ComparableText, budget: ComparisonBudget): boolean {
  const [few, many] = one.words.size <= other.words.size ? [one.words, other.words] : [other.words, one.words]
  for (const word of few) {
    spend(budget, wordCost)
    if (!many.has(word)) return false
  }
  return true
}

/** Whether one is the other from the begin of a word on, perhaps cut off. Ann is not a part of Joanna. */
function continuesAtWord(one: ComparableText, other: ComparableText): boolean {
  const [short, long] = sortByLength(one, other)
  return long.starts.some((start) => long.joined.startsWith(short.joined, start))
}

function sortByLength(one: ComparableText, other: ComparableText): [ComparableText, ComparableText] {
  return one.joined.length <= other.joined.length ? [one, other] : [other, one]
}
