import { html } from '@quittance/pages/html'
import { layout } from './layout.ts'

/** Describes an error and what the user can do. */
export interface ErrorPageContent {
  title: string
  sentence: string
  /** Protocol details for support, collapsed. */
  details?: readonly (string | undefined)[]
}

/** For a page that was left open or completed in another window. */
export const expiredPageContent: ErrorPageContent = {
  title: 'This page has expired',
  sentence: 'It was open for too long, or was finished in another window. Go back to the application and start again.',
}

export function errorPage({ title, sentence, details }: ErrorPageContent): string {
  const shownDetails = (details ?? []).filter((each) => each !== undefined)
  return layout({
    title,
    body: html`<div class="card" role="alert">
      <h1>${title}</h1>
      <p>${sentence}</p>
      ${
        shownDetails.length > 0 &&
        html`<details>
          <summary>For the developer of the application</summary>
          ${shownDetails.map((each) => html`<p><code>${each}</code></p>`)}
        </details>`
      }
    </div>`,
  })
}
