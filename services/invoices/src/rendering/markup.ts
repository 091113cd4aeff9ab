import { withoutDirectionControls } from '@quittance/contracts/printed-text'

/**
 * Returns a quoted CSS string. Every character except alphanumerics, spaces and hyphens is escaped, so no text can end the string or the
 * style element.
 */
export function cssString(text: string): string {
  const escaped = text.toWellFormed().replaceAll(/[^\p{L}\p{N} -]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)
  return `"${escaped}"`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// Not permitted in HTML: control characters (except tab and line ends) and noncharacters.
const forbidden = /[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu

// No font has a glyph for them.
const separators = /[\p{Zl}\p{Zp}]/gu

/**
 * Escapes text for an element or a quoted attribute. Forbidden characters and lone surrogates become U+FFFD, so they are visible; line and
 * paragraph separators become spaces.
 */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, '\uFFFD')
    .replaceAll(separators, ' ')
    .replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}

/** Escapes external text and isolates its writing direction, which no character of the text can change. */
export function isolateDirection(text: string): string {
  return `<bdi>${escapeHtml(withoutDirectionControls(text))}</bdi>`
}
