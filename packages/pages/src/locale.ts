/** Languages of the pages, named in themselves. */
export const languages = {
  ar: 'العربية',
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  he: 'עברית',
  it: 'Italiano',
  ja: '日本語',
  ko: '한국어',
  nl: 'Nederlands',
  pt: 'Português',
  zh: '简体中文',
  'zh-Hant': '繁體中文',
} as const

/** A language that pages are written in. */
export type Language = keyof typeof languages

/** How a page speaks to its visitor. */
export interface PageLocale {
  /** Language of the words. */
  language: Language
  /** BCP 47 for numbers and dates: the language, with the region of the visitor if known. */
  locale: string
  dir: 'ltr' | 'rtl'
  /** ISO 3166-1 region that the browser names, also if another language was chosen; null if it names none. */
  region: string | null
}

interface LocaleSources {
  /** Chosen in the address or in the form. */
  chosen?: string | null | undefined
  /** `Accept-Language` of the request. */
  accepted?: string | undefined
}

/** Chooses the language of a page: the chosen one, else the first accepted one that exists, else English. */
export function chooseLocale({ chosen, accepted }: LocaleSources): PageLocale {
  const wanted = parseAcceptLanguage(accepted)
  const explicit = chosen ? matchLanguage(chosen) : null
  if (explicit) {
    // The region of the browser counts for its own language only: English as written in Germany has no other numbers.
    const same = wanted.find((tag) => matchLanguage(tag) === explicit)
    return describeLocale(explicit, { tag: regionFrom(chosen as string) ? (chosen as string) : (same ?? explicit), wanted })
  }
  for (const tag of wanted) {
    const language = matchLanguage(tag)
    if (language) return describeLocale(language, { tag, wanted })
  }
  return describeLocale('en', { tag: 'en', wanted })
}

function describeLocale(language: Language, { tag, wanted }: { tag: string; wanted: readonly string[] }): PageLocale {
  const region = regionFrom(tag)
  const isWellFormed = region !== null && Intl.NumberFormat.supportedLocalesOf([`${language}-${region}`]).length > 0
  return {
    language,
    locale: isWellFormed ? `${language}-${region}` : language,
    dir: language === 'ar' || language === 'he' ? 'rtl' : 'ltr',
    region: region ?? wanted.map(regionFrom).find((each) => each !== null) ?? null,
  }
}

function regionFrom(tag: string): string | null {
  return /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})\b/i.exec(tag)?.[1]?.toUpperCase() ?? null
}

/** Returns the language of a tag; null if pages are not written in it. */
export function matchLanguage(tag: string): Language | null {
  const [first = '', ...rest] = tag.toLowerCase().split('-')
  if (first === 'zh') return rest.some((part) => ['hant', 'tw', 'hk', 'mo'].includes(part)) ? 'zh-Hant' : 'zh'
  if (first === 'iw') return 'he'
  return Object.hasOwn(languages, first) ? (first as Language) : null
}

/** Returns the tags of `Accept-Language`, best first. */
function parseAcceptLanguage(header: string | undefined): string[] {
  return (header ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(/;\s*q=/)
      return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ tag, quality }) => tag && tag !== '*' && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
