/** A quoted CSS string. All but letters, digits, spaces and hyphens are code points, so nothing ends the string or the style element. */
export function cssString(text: string): string {
  const escaped = text.toWellFormed().replaceAll(/[^\p{L}\p{N} -]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)
  return `"${escaped}"`
}
