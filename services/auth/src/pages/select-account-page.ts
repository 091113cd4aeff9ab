import { html, isolate } from '@quittance/pages/html'
import { truncateName } from './consent-page.ts'
import { layout } from './layout.ts'

export interface SelectAccountPage {
  /** Path of the interaction; forms go below it. */
  action: string
  csrf: string
  clientName: string
  email: string
}

/** Asks a signed-in user with which account to continue. */
export function selectAccountPage({ action, csrf, clientName, email }: SelectAccountPage): string {
  return layout({
    title: 'Choose an account',
    body: html`<div class="card">
      <h1>Choose an account</h1>
      <p><strong>${isolate(truncateName(clientName))}</strong> asks which account to use. You are signed in as <bdi>${email}</bdi>.</p>
      <form method="post" action="${action}/keep-account">
        <input type="hidden" name="csrf" value="${csrf}" />
        <div class="actions">
          <button class="primary" type="submit" autofocus>Continue with this account</button>
        </div>
      </form>
      <form method="post" action="${action}/switch">
        <input type="hidden" name="csrf" value="${csrf}" />
        <div class="actions"><button type="submit">Use another account</button></div>
      </form>
    </div>`,
  })
}
