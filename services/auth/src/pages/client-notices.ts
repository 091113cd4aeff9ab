import { html, isolate, type Html } from '@quittance/pages/html'
import { truncateName } from './consent-page.ts'

/** A client whose change ended what the user had allowed it. */
export interface ClientNotice {
  name: string
  /** RFC 3339 timestamp of the change. */
  createdAt: string
}

/** Lists the applications whose change by their developers ended what the user had allowed; null without any. */
export function clientNotices(notices: readonly ClientNotice[]): Html | null {
  if (notices.length === 0) return null
  return html`<section class="card" aria-labelledby="changed">
    <h2 id="changed">Applications that were changed</h2>
    ${notices.map(
      ({ name, createdAt }) =>
        html`<div class="notice">
          <p>
            <strong>${isolate(truncateName(name))}</strong> changed where it receives its access on ${createdAt.slice(0, 10)} (UTC). What
            you had allowed it has ended. If you use it, it will ask you again.
          </p>
        </div>`,
    )}
  </section>`
}
