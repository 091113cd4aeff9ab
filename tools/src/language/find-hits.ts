import { identifierRules, splitName, textRules } from './deny-list.ts'
import { readSource } from './read-source.ts'

/** A denied word in a file. */
export interface Hit {
  line: number
  kind: 'identifier' | 'comment' | 'text'
  match: string
  use: string
}

/** Finds denied words in a TypeScript or JavaScript file. */
export function findSourceHits(file: string, source: string): Hit[] {
  return readSource(file, source).flatMap(({ kind, value, start, isFunction }) => {
    const line = source.slice(0, start).split('\n').length
    if (kind === 'identifier') return identifierUse(value, isFunction).map((use) => ({ line, kind, match: value, use }))
    return findInText(value, kind).map((hit) => ({ ...hit, line: line + hit.line - 1 }))
  })
}

/** Finds denied words in Markdown: code is left out. */
export function findMarkdownHits(source: string): Hit[] {
  let isFenced = false
  const lines = source.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    return isFence || isFenced ? '' : line
  })
  return findInText(lines.join('\n'), 'text')
}

/** Finds denied words in the comments of a file whose comments start with `#`. */
export function findHashCommentHits(source: string): Hit[] {
  const lines = source.split('\n').map((line) => /(?:^|\s)#(.*)$/.exec(line)?.[1] ?? '')
  return findInText(lines.join('\n'), 'comment')
}

/** Denied names, with the terms to use. */
export function identifierUse(name: string, isFunction: boolean): string[] {
  const words = splitName(name)
  return identifierRules.filter(({ matches }) => matches(words, name, isFunction)).map(({ use }) => use)
}

/** Finds denied phrases in a text; code in back-ticks and addresses are left out. */
export function findInText(text: string, kind: 'comment' | 'text'): Hit[] {
  const readable = text
    .replaceAll(/`[^`]*`|https?:\/\/\S+|\]\([^)]*\)/g, (code) => code.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/\n[ \t]*\*/g, '\n')
  // A phrase may be wrapped: line ends count as spaces, and the line is that of its first word.
  const flat = readable.replaceAll(/\s/g, ' ')
  return textRules.flatMap(({ pattern, use }) =>
    [...flat.matchAll(new RegExp(pattern.source.replaceAll(' ', ' +'), `${pattern.flags}g`))].map(({ 0: match, index }) => ({
      line: lineOfOffset(readable, index),
      kind,
      match: match.replaceAll(/ +/g, ' '),
      use,
    })),
  )
}

const lineOfOffset = (text: string, offset: number) => text.slice(0, offset).split('\n').length
