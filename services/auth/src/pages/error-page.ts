import { html } from './html.ts'
import { layout } from './layout.ts'

/** What went wrong, in words a person can act on; `code` is the protocol's word, for whoever they ask for help. */
export interface Fault {
  title: string
  sentence: string
  code?: string | undefined
}

/** For a page that was left open, or that was answered in another window. */
export const expiredPage: Fault = {
  title: 'This page has expired',
  sentence: 'It was open for too long, or was finished in another window. Go back to the application and start again.',
}

export function errorPage({ title, sentence, code }: Fault): string {
  return layout({
    title,
    body: html`<div class="card" role="alert">
      <h1>${title}</h1>
      <p>${sentence}</p>
      ${code && html`<p class="quiet">Code: <code>${code}</code></p>`}
    </div>`,
  })
}
