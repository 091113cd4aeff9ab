/** Font packages in the order they are asked for a letter. Each has the same two weights. */
const general = ['inter', 'noto-sans', 'noto-sans-arabic', 'noto-sans-hebrew', 'noto-sans-devanagari', 'noto-sans-thai']
const [japanese, korean, simplified, traditional] = ['noto-sans-jp', 'noto-sans-kr', 'noto-sans-sc', 'noto-sans-tc'] as const

/**
 * Which fonts may set a letter in a document of this locale, the best first. Unicode has one code point for a Han character that
 * Tokyo, Seoul, Taipei and Beijing draw differently, so the locale decides; kana and hangul say themselves where they belong.
 */
export function fontFamilies(letter: string, locale: string): readonly string[] {
  if (/\p{Script=Hangul}/u.test(letter)) return [korean]
  const han = hanFamilies(locale)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(letter)) return [japanese, ...han]
  return [...general, ...han]
}

function hanFamilies(locale: string): readonly string[] {
  const { language, script } = new Intl.Locale(locale).maximize()
  if (language === 'ja') return [japanese, traditional, simplified, korean]
  if (language === 'ko') return [korean, japanese, traditional, simplified]
  if (script === 'Hant') return [traditional, simplified, japanese, korean]
  return [simplified, traditional, japanese, korean]
}
