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
