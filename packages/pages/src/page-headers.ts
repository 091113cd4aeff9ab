import type { InlineAsset } from './layout.ts'

/** What a page may load, send and be shown in. */
export interface PagePolicy {
  style: InlineAsset
  script?: InlineAsset | null
  /** Origins beside the page's that a redirect after a form may lead to: browsers apply `form-action` to every redirect. */
  formTargets?: readonly string[]
  /** The one origin that may show the page in a frame. Default: none. */
  frameAncestor?: string | null
}

/** Returns the headers of a page: nothing runs, loads or frames it except what its policy names. */
export function pageHeaders({ style, script, formTargets = [], frameAncestor }: PagePolicy): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `base-uri 'none'`,
    `style-src ${style.hash}`,
    `script-src ${script?.hash ?? `'none'`}`,
    `connect-src 'self'`,
    `img-src 'self' data:`,
    `frame-src 'none'`,
    `frame-ancestors ${frameAncestor ?? `'none'`}`,
    ['form-action', `'self'`, ...formTargets].join(' '),
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    ...(frameAncestor ? {} : { 'x-frame-options': 'DENY' }),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(self), usb=()',
    'cache-control': 'no-store',
  }
}

/**
 * Returns the origin of an address that a page may lead to: http and https only. Null for every other address, so that no script, no
 * application and no local file is opened.
 */
export function webOrigin(address: string | null | undefined): string | null {
  const url = address ? URL.parse(address) : null
  return url && (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password ? url.origin : null
}
