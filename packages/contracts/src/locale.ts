import { z } from 'zod'

/** BCP 47 in canonical form: `de-ch` is stored as `de-CH`. A language without a translation is valid; documents then use a fallback. */
export const LocaleInput = z
  .string()
  .max(35)
  .transform((text, ctx) => {
    const [locale] = canonical(text)
    if (!locale) ctx.addIssue({ code: 'custom', message: 'Must be a language tag such as de-CH.' })
    return locale ?? text
  })
  .meta({ id: 'LocaleInput' })

function canonical(text: string): string[] {
  try {
    return Intl.getCanonicalLocales(text)
  } catch {
    return []
  }
}

/**
 * Returns a locale in BCP 47 without extensions, which would change calendar and digits. Accepts `de_CH`; anything invalid becomes `en`. For
 * texts that are written for a person, who is better served in English than with an error.
 */
export function languageTag(locale: string): string {
  try {
    return new Intl.Locale(locale.replaceAll('_', '-')).baseName
  } catch {
    return 'en'
  }
}

/**
 * Returns the texts of a tag's language and script, or of its language. Chinese has two scripts, and `zh-TW` does not name its script.
 * @throws RangeError if the tag is invalid.
 */
export function findTexts<Texts>(textsByLanguage: Readonly<Record<string, Texts>>, tag: string): Texts | undefined {
  const { language, script } = new Intl.Locale(tag).maximize()
  return textsByLanguage[`${language}-${script}`] ?? textsByLanguage[language]
}
