import { createHash } from 'node:crypto'
import { html, Html } from './html.ts'
import { styles } from './styles.ts'

/** What a page is made of. */
export interface Page {
  title: string
  body: Html
  wide?: boolean
}

/** Byte for byte what the policy below allows: a formatter must not reach into it. */
const styleElement = new Html(`<style>${styles}</style>`)

/** A whole page. No script, nothing from elsewhere. */
export function layout({ title, body, wide }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – Quittance</title>
        ${styleElement}
      </head>
      <body>
        <main class="${wide ? 'wide' : ''}">
          <p class="brand">Quittance</p>
          ${body}
        </main>
      </body>
    </html>`.text
}

const styleHash = createHash('sha256').update(styles).digest('base64')

/**
 * Headers of every page. Browsers apply `form-action` to the whole chain of redirects after a form, so the place a client gets its
 * answer at must be named; else "Allow" does nothing in Chrome.
 */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      `default-src 'none'`,
      `style-src 'sha256-${styleHash}'`,
      `script-src 'none'`,
      ['form-action', `'self'`, ...formTargets].join(' '),
      `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

/** What `form-action` must name so that a form may end there. */
export function formTarget(redirectUri: unknown): string[] {
  const url = typeof redirectUri === 'string' ? URL.parse(redirectUri) : null
  return url ? [url.origin] : []
}
