const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// What no HTML document may hold: controls (but tab and line ends) and code points that are no characters.
const forbidden = /[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu

/** Text for an element or a quoted attribute. Forbidden characters and lone surrogates become U+FFFD, so they are seen. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => entities[character] as string)
}

/** A text somebody typed: its writing direction is its own and ends with it. */
export function ownText(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`
}
