import { createHash } from 'node:crypto'

/** A message in the list. */
export interface ListedMessage {
  id: string
  storedAt: string
  kind: string
  recipient: string
  subject: string
}

const styles = `:root{color-scheme:light dark;--ground:#f4f3ef;--card:#fff;--ink:#1c1b1a;--quiet:#5f5c57;--line:#d9d6cf;--accent:#1f5d4c}
@media (prefers-color-scheme:dark){:root{--ground:#161514;--card:#211f1e;--ink:#f1efea;--quiet:#b3aea6;--line:#3d3a37;--accent:#7fd1b9}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:52rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.375rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:1.5rem 0 .5rem}
.quiet{color:var(--quiet);font-size:.925rem;margin:0 0 1rem;overflow-wrap:anywhere}a{color:var(--accent)}
ol{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}
li+li{border-top:1px solid var(--line)}li a{display:block;padding:.75rem 1rem;color:inherit;text-decoration:none}li a:hover{background:var(--ground)}
li strong{display:block;overflow-wrap:anywhere}li span{color:var(--quiet);font-size:.925rem;overflow-wrap:anywhere}
time{white-space:nowrap}
iframe{width:100%;height:36rem;border:1px solid var(--line);border-radius:12px;background:var(--card)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem;font:.875rem/1.5 ui-monospace,Menlo,Consolas,monospace}
:focus-visible{outline:3px solid var(--accent);outline-offset:-3px}`

const styleSource = hashSource(styles)

/** Headers of the pages of the mailbox: they run no script, and load nothing but a message of this service into their frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders(),
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${styleSource}; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
}

/** Headers of the complete source of a message. */
export const sourceHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders(),
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'; sandbox`,
  'x-frame-options': 'DENY',
}

/**
 * Returns the headers of the HTML of a message. It is in a sandbox without an origin, runs and loads nothing, and leads nowhere. Only the
 * styles that are in it are allowed, by their hashes.
 */
export function messageHeaders(html: string): Record<string, string> {
  const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)]
  const attributes = [...html.matchAll(/ style="([^"]*)"/g)]
  const hashes = new Set([...sheets, ...attributes].map(([, text]) => hashSource(text as string)))
  return {
    ...commonHeaders(),
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-hashes' ${[...hashes].join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox`,
    'x-frame-options': 'SAMEORIGIN',
  }
}

function commonHeaders(): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Renders the list, newest first. */
export function renderList(messages: readonly ListedMessage[], olderThan: string | null): string {
  const rows = messages.map(
    ({ id, storedAt, kind, recipient, subject }) =>
      `<li><a href="/mailbox/${id}"><strong><bdi>${escape(subject)}</bdi></strong><span><bdi>${escape(recipient)}</bdi> · ${escape(kind)} · <time>${escape(storedAt)}</time></span></a></li>`,
  )
  const older = olderThan === null ? '' : `<p><a href="/mailbox?before=${olderThan}">Older mails</a></p>`
  const list = rows.length > 0 ? `<ol>${rows.join('')}</ol>${older}` : '<p>No mails yet. The first paid order brings one.</p>'
  return renderPage(
    'Mailbox',
    `<h1>Mailbox</h1><p class="quiet">No SMTP server is set, so mails are stored here. They are kept for seven days.</p>${list}`,
  )
}

/** A stored message. */
export interface StoredMessage {
  subject: string
  recipient: string
  text: string
  html: string
  source: string
}

/** Renders one message: its HTML in a sandboxed frame, its text, and a link to its source. */
export function renderMessage(id: string, { subject, recipient, text }: StoredMessage): string {
  return renderPage(
    `${subject} – Mailbox`,
    `<p><a href="/mailbox">All mails</a></p><h1><bdi>${escape(subject)}</bdi></h1><p class="quiet">To <bdi>${escape(recipient)}</bdi> · <a href="/mailbox/${id}/source">source</a></p>
<iframe sandbox="" title="HTML of the mail" src="/mailbox/${id}/html"></iframe>
<h2>Text</h2><pre dir="auto">${escape(text)}</pre>`,
  )
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><style>${styles}</style></head>
<body><main>${body}</main></body></html>
`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
