import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from './page-context.ts'

/** The site that shows a page in a frame. */
export interface PageFrame {
  /** The one origin that gets messages; `*` if it is not known. */
  origin: string
  /** What the page reports when it is loaded. */
  events: readonly string[]
  /** Where the order leads to; `isForeign`: to the seller's site, which the frame cannot show. */
  success: { url: string; isForeign: boolean } | null
}

/** Renders what the script of a page in a frame needs, and the button that closes the frame. */
export function framePart({ origin, events, success }: PageFrame, { words }: PageContext): Html {
  return html`<button
    class="button plain with-scripts"
    type="button"
    data-frame="${origin}"
    data-events="${events.join(' ')}"
    ${success && html`data-success-url="${success.url}" data-redirect="${success.isForeign ? 'true' : 'false'}"`}
  >
    ${words.payment.closeFrame}
  </button>`
}
