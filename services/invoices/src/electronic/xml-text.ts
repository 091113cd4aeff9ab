/** XML 1.0 cannot hold most control characters and no half of a surrogate pair, not even escaped. */
export function xmlText(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}

/** The same structure with every text in it changed. */
export function mapText<T>(model: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(model, (_key, value: unknown) => (typeof value === 'string' ? change(value) : value))) as T
}
