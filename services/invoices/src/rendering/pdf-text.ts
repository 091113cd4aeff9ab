/** Returns a text string in hexadecimal UTF-16 (ISO 32000-1, 7.9.2.2). */
export function textString(text: string): string {
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`
}

/** Returns a dictionary with further entries, which it must not have yet. */
export function addEntries(dictionary: string, entries: Readonly<Record<string, string>>): string {
  if (!dictionary.startsWith('<<')) throw new Error('The object is no dictionary')
  const added = Object.entries(entries).map(([name, value]) => `/${name} ${value}\n`)
  return `<<${added.join('')}${dictionary.slice(2)}`
}
