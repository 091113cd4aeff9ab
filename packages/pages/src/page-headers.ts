import type { InlineAsset } from './layout.ts'

/** What a page may load, send and be shown in. */
export interface PagePolicy {
  style: InlineAsset
  script?: InlineAsset | null
  /**
   * Whether a form of the page may lead to another site. Chromium applies `form-action` to all redirects after a form, also to
   * those of the other site, whose targets this server does not know: such a page has none.
   */
  leadsElsewhere?: boolean
  /** The payment provider whose script runs on the page; default: none. */
  provider?: ProviderSources | null
  /** The one origin that may show the page in a frame; `*` for any. Default: none. */
  frameAncestor?: string | null
}

/** Source expressions of a payment provider, each an origin or a pattern of origins. */
export interface ProviderSources {
  scripts: readonly string[]
  frames: readonly string[]
  connections: readonly string[]
}

/** Returns the headers of a page: nothing runs, loads or frames it except what its policy names. */
export function pageHeaders({ style, script, leadsElsewhere = false, frameAncestor, provider }: PagePolicy): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `base-uri 'none'`,
    `style-src ${style.hash}`,
    ['script-src', script?.hash ?? `'none'`, ...(provider?.scripts ?? [])].join(' '),
    ['connect-src', `'self'`, ...(provider?.connections ?? [])].join(' '),
    `img-src 'self' data:`,
    ['frame-src', ...(provider?.frames ?? [`'none'`])].join(' '),
    `frame-ancestors ${frameAncestor ?? `'none'`}`,
    ...(leadsElsewhere ? [] : [`form-action 'self'`]),
    // A provider's script may need what trusted types forbid.
    ...(provider ? [] : [`require-trusted-types-for 'script'`, `trusted-types 'none'`]),
  ].join('; ')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    ...(frameAncestor ? {} : { 'x-frame-options': 'DENY' }),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    // With `no-referrer` a form states no origin, which decides in browsers without `Sec-Fetch-Site`. Other sites get no referrer either way.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': provider ? 'same-origin-allow-popups' : 'same-origin',
    'permissions-policy': `camera=(), geolocation=(), microphone=(), payment=${listPaymentOrigins(provider)}, usb=()`,
    'cache-control': 'no-store',
  }
}

/** Wallets ask in the frame of the provider; a pattern of origins is not allowed in this header. */
function listPaymentOrigins(provider: ProviderSources | null | undefined): string {
  const frames = (provider?.frames ?? []).filter((source) => !source.includes('*'))
  return `(${['self', ...frames.map((source) => `"${source}"`)].join(' ')})`
}

/**
 * Returns the origin of an address that a page may lead to: http and https only. Null for every other address, so that no script, no
 * application and no local file is opened.
 */
export function webOrigin(address: string | null | undefined): string | null {
  const url = address ? URL.parse(address) : null
  return url && (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password ? url.origin : null
}
