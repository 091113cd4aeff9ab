import { html } from '@quittance/pages/html'
import { layout } from './layout.ts'

export interface RecoveryCodesPage {
  title: string
  codes: readonly string[]
  back: string
}

/** Shown only once. */
export function recoveryCodesPage({ title, codes, back }: RecoveryCodesPage): string {
  return layout({
    title,
    body: html`<div class="card">
      <h1>${title}</h1>
      <p>
        <strong>Keep these recovery codes.</strong> Each signs you in once if you lose your phone or passkey. Print them or put them in a
        password manager: this page does not come back.
      </p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      <div class="actions"><a class="button primary" href="${back}">I have kept them</a></div>
    </div>`,
  })
}
