import type { Organization } from '@quittance/contracts/organizations'
import { html, type Html } from '@quittance/pages/html'
import { webOrigin } from '@quittance/pages/page-headers'
import type { PageContext } from './page-context.ts'

/** Renders links to terms, privacy and imprint of a seller, beside the page; null if the seller has set none. */
export function legalLinks({ page_settings: settings }: Organization, { words: { account } }: PageContext): Html | null {
  const links = [
    [account.terms, settings?.terms_url],
    [account.privacy, settings?.privacy_url],
    [account.imprint, settings?.imprint_url],
  ] as const
  const set = links.filter(([, url]) => webOrigin(url))
  if (set.length === 0) return null
  return html`<p class="quiet actions">
    ${set.map(([label, url]) => html`<a href="${url}" rel="noreferrer" target="_blank">${label}</a>`)}
  </p>`
}
