import type { ApiClient, Visitor } from '@quittance/pages/call-api'
import { chooseLocale, type PageLocale } from '@quittance/pages/locale'
import { continueTrace } from '@quittance/runtime/tracing'
import type { Logger } from '@quittance/runtime/logger'
import type { FastifyRequest } from 'fastify'
import { wordsIn, type Words } from '../words/all-words.ts'
import type { CookieSealer } from './cookies.ts'
import type { PageScripts } from './scripts.ts'
import type { ProviderScript } from './stripe-sources.ts'

/** Dependencies of the pages. */
export interface AppOptions {
  api: ApiClient
  cookies: CookieSealer
  scripts: PageScripts
  /** Script of Stripe, for checkouts of sellers with an account there. */
  stripe: ProviderScript
  /** Public origin of the pages. */
  origin: string
  /** Public address of the API. */
  baseUrl: string
  /** File with the links of the start page to demo data. */
  startLinksFile?: string | undefined
  log: Logger
}

/** What a page knows about its visitor. */
export interface PageContext extends PageLocale {
  words: Words
  visitor: Visitor
  theme: 'light' | 'dark' | null
  /** Set in a frame of another site. */
  embedding: Embedding | null
}

/** What a page in a frame carries along, because browsers send no cookies to frames of other sites. */
export interface Embedding {
  /** What the site around the frame knows already. */
  reported: 'loaded' | 'confirmed' | null
  /** Sealed session of the purchase; null before the order. */
  sale: string | null
}

/** Text that a parameter of the address or a field of a form has; of repeated ones the last. */
export function readText(values: unknown, name: string): string | null {
  const value = (values as Record<string, unknown> | null | undefined)?.[name]
  const last = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last : null
}

/** Reads who asks for a page, and in which language. */
export function readPageContext(request: FastifyRequest): PageContext {
  const { query, body, headers, id, ip } = request
  const chosen = readText(body, 'switch_locale') ?? readText(body, 'locale') ?? readText(query, 'locale')
  const locale = chooseLocale({ chosen, accepted: headers['accept-language'] })
  const theme = readText(query, 'theme') ?? readText(body, 'theme')
  const { traceparent } = headers
  return {
    ...locale,
    words: wordsIn(locale.language),
    visitor: { ip, requestId: id, traceparent: continueTrace(typeof traceparent === 'string' ? traceparent : undefined) },
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    embedding: readEmbedding(request),
  }
}

function readEmbedding({ query, body, method }: FastifyRequest): Embedding | null {
  if ((readText(query, 'embed') ?? readText(body, 'embed')) !== 'true') return null
  const reported = method === 'POST' ? 'loaded' : readText(query, 'reported')
  return {
    reported: reported === 'loaded' || reported === 'confirmed' ? reported : null,
    sale: readText(query, 'sale') ?? readText(body, 'sale'),
  }
}
