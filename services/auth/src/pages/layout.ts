import { createHash } from 'node:crypto'
import { html, Html } from '@quittance/pages/html'

/** Content of a page. */
export interface Page {
  title: string
  body: Html
  wide?: boolean
  /** A script element whose hash the headers of the page allow. */
  script?: Html | null
}

/** One style sheet for all pages. Contrast is at least 4.5:1 in both colour schemes; nothing depends on colour alone. */
const styles = `
:root { color-scheme: light dark; --ground: #f4f3ef; --card: #ffffff; --ink: #1c1b1a; --quiet: #5f5c57; --line: #d9d6cf;
  --accent: #1f5d4c; --on-accent: #ffffff; --bad: #a3211b; --bad-ground: #fdf0ef; --warn: #6b4a00; --warn-ground: #fdf6e3;
  --good: #1f5d4c; --good-ground: #e9f4f0; }
@media (prefers-color-scheme: dark) { :root { --ground: #161514; --card: #211f1e; --ink: #f1efea; --quiet: #b3aea6; --line: #3d3a37;
  --accent: #7fd1b9; --on-accent: #10231d; --bad: #ffb4ab; --bad-ground: #3a1a18; --warn: #f2d189; --warn-ground: #352b13;
  --good: #9adcc8; --good-ground: #16302a; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; display: flex; justify-content: center; }
main { width: 100%; max-width: 27rem; padding: clamp(1rem, 6vh, 4rem) 1rem 2rem; }
main.wide { max-width: 44rem; }
.brand { margin: 0 0 1rem; font-weight: 650; letter-spacing: .02em; color: var(--quiet); font-size: .95rem; }
.brand::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; border-radius: 2px; background: var(--accent); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.5rem; }
.card + .card { margin-top: 1rem; }
.card > :last-child { margin-bottom: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
h3 { font-size: .925rem; margin: 0; overflow-wrap: anywhere; }
q { quotes: '“' '”'; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .925rem; }
.forgot { margin: 1.25rem 0 0; } .hint { margin: .25rem 0 0; }
header.person { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: flex-start; margin-bottom: 1rem; }
header.person > div { min-width: 0; flex: 1 1 12rem; } header.person p { margin: 0; }
label, legend { font-weight: 600; font-size: .925rem; display: block; margin-bottom: .25rem; padding: 0; }
input[type=email], input[type=password], input[type=text] { width: 100%; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--quiet); border-radius: 8px; padding: .625rem .75rem; min-height: 2.75rem; }
input[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
.field { margin-bottom: 1rem; }
.error { color: var(--bad); font-size: .925rem; margin: .5rem 0 0; } .error:empty { display: none; }
.notice { border-radius: 8px; padding: .75rem 1rem; margin-bottom: 1rem; background: var(--warn-ground); color: var(--warn); }
.notice.bad { background: var(--bad-ground); color: var(--bad); }
.notice.good { background: var(--good-ground); color: var(--good); }
.notice p { margin: 0; }
fieldset { border: 0; margin: 1rem 0; padding: 0; min-width: 0; }
.check { display: flex; gap: .625rem; align-items: center; font-weight: 400; font-size: 1rem; cursor: pointer; }
.choice { display: flex; gap: .75rem; align-items: center; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; margin-top: .5rem;
  font-weight: 400; font-size: 1rem; cursor: pointer; overflow-wrap: anywhere; min-width: 0; }
.choice:has(:checked) { border-color: var(--accent); outline: 1px solid var(--accent); }
.choice input, .check input { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; flex: none; margin: 0; }
.choice span { display: block; min-width: 0; } .choice small { color: var(--quiet); display: block; }
.who { display: flex; gap: .875rem; align-items: flex-start; margin-bottom: 1rem; }
.who > div { min-width: 0; } .who h1 { margin: 0; } .who p { margin: .25rem 0 0; }
.monogram { flex: none; width: 3rem; height: 3rem; border-radius: 12px; background: var(--accent); color: var(--on-accent);
  display: grid; place-items: center; font-size: 1.375rem; font-weight: 650; }
dl.facts { display: grid; grid-template-columns: auto 1fr; gap: .25rem .875rem; margin: 0 0 1rem; font-size: .925rem; }
dl.facts dt { color: var(--quiet); } dl.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scopes { margin: 0 0 1.25rem; border-top: 1px solid var(--line); }
.scopes > div, .scopes > details { padding: .625rem 0; border-bottom: 1px solid var(--line); }
ul.plain { margin: .25rem 0 0; padding: 0 0 0 1.25rem; } ul.plain li { padding: .125rem 0; }
.mark { display: inline-block; margin-left: .375rem; padding: 0 .5rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600;
  background: var(--warn-ground); color: var(--warn); border: 1px solid currentColor; white-space: nowrap; }
.mark:first-child { margin-left: 0; }
ul.rows { list-style: none; margin: 0; padding: 0; }
ul.rows li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: center; padding: .75rem 0; border-top: 1px solid var(--line); }
ul.rows li.inner { border-top: 0; padding: 0 0 .75rem 1rem; align-items: flex-start; }
ul.rows li > div { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; }
ul.rows ul.plain li { display: list-item; border: 0; padding: .125rem 0; }
ul.rows + p { margin-top: .75rem; }
ul.codes { list-style: none; margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; columns: 2; column-gap: 1.5rem; }
ul.codes li { padding: .125rem 0; break-inside: avoid; }
.qr { background: #ffffff; border: 1px solid var(--line); border-radius: 12px; max-width: 13rem; margin: 0 auto 1rem; padding: .25rem; }
.qr svg { display: block; width: 100%; height: auto; }
details { margin-bottom: 1rem; } summary { cursor: pointer; color: var(--quiet); font-size: .925rem; padding: .25rem 0; }
li details, .scopes details { margin: 0; } .scopes summary { color: var(--ink); font-size: 1rem; padding: 0; }
details > p { margin: .5rem 0 0; }
.actions { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: .75rem; margin-top: 1.25rem; }
.actions > button, .actions > a.button { padding-inline: .5rem; } .actions + details { margin: 1.25rem 0 0; }
form[data-passkey] + form { margin-top: 1.25rem; }
.actions.end { display: flex; justify-content: flex-end; }
button, a.button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1rem; border-radius: 8px; cursor: pointer; border: 1px solid var(--quiet);
  background: transparent; color: var(--ink); text-align: center; text-decoration: none; display: inline-flex; align-items: center; justify-content: center; }
button.primary, a.button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.small, a.button.small { min-height: 2.5rem; padding: .25rem .875rem; font-size: .925rem; white-space: nowrap; }
button.link { border: 0; padding: 0; min-height: 1.5rem; text-decoration: underline; font-weight: 400; color: inherit; display: inline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: inherit; }
code { font-size: .9em; overflow-wrap: anywhere; }
.foot { margin-top: 1rem; font-size: .875rem; color: var(--quiet); } .foot form { display: inline; }
@media (max-width: 30rem) { ul.codes { columns: 1; } }
@media (max-width: 22rem) { .actions { grid-auto-flow: row; } .card { padding: 1.125rem; } }
`

/** Byte for byte what the policy below allows: a formatter must not change it. */
const styleElement = new Html(`<style>${styles}</style>`)

/** Renders a whole page. Loads nothing external and runs no script except the page's. */
export function layout({ title, body, wide, script }: Page): string {
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
        ${script}
      </body>
    </html>`.text
}

const styleHash = createHash('sha256').update(styles).digest('base64')

interface PageHeaderOptions {
  /** Whether a form of the page may end at a client. */
  endsAtClient?: boolean
  /** Source expressions of the scripts that run; by default none runs. */
  scriptHashes?: readonly string[]
}

/**
 * Returns the headers of every page. Chromium applies `form-action` to all redirects after a form, also to those of the client, whose
 * targets this server does not know. So a page whose form may end at a client has no `form-action`: otherwise "Allow" would do nothing.
 */
export function pageHeaders({ endsAtClient = false, scriptHashes = [] }: PageHeaderOptions = {}): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      `default-src 'none'`,
      `style-src 'sha256-${styleHash}'`,
      ['script-src', ...(scriptHashes.length > 0 ? scriptHashes : [`'none'`])].join(' '),
      ...(endsAtClient ? [] : [`form-action 'self'`]),
      `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}
