import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from './page-context.ts'

/** Links to the public ways to withdraw from a contract and to cancel one. They open without a sign-in. */
export interface ContractLinks {
  /** Slug of the seller. */
  slug: string
  /** Number of the order that the links fill in; null for none. */
  reference?: string | null
  /** Opens them beside the page, which would lose what was typed. */
  isBeside?: boolean
  /** False on a page that links to the withdrawal from its own contract. */
  hasWithdrawal?: boolean
  context: PageContext
}

/** Renders both links: the law wants them easy to find, during the whole period and without an account. */
export function contractLinks({ slug, reference = null, isBeside = false, hasWithdrawal = true, context }: ContractLinks): Html {
  const { words, language } = context
  const query = new URLSearchParams({ ...(reference && { reference }), locale: language }).toString()
  const link = (kind: 'withdraw' | 'cancel', text: string) =>
    html`<a href="/${slug}/${kind}?${query}" ${isBeside && html`target="_blank"`}>${text}</a>`
  return html`<p class="quiet actions">
    ${hasWithdrawal && link('withdraw', words.declaration.withdraw)} ${link('cancel', words.declaration.cancel)}
  </p>`
}
