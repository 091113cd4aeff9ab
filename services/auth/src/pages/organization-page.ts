import { html, isolate } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { truncateName } from './consent-page.ts'

export interface OrganizationPage {
  /** Path of the interaction; forms go below it. */
  action: string
  csrf: string
  clientName: string
  error: string | null
}

/** Shown instead of the choice to a user without an organization. */
export function organizationPage({ action, csrf, clientName, error }: OrganizationPage): string {
  return layout({
    title: error ? 'Error: create an organization' : 'Create an organization',
    body: html`<div class="card">
      <h1>Create your organization</h1>
      <p class="quiet">
        <strong>${isolate(truncateName(clientName))}</strong> wants to work with one of your organizations, and you have none yet.
      </p>
      <form method="post" action="${action}/organization">
        <input type="hidden" name="csrf" value="${csrf}" />
        <div class="field">
          <label for="organization_name">Name</label>
          <input
            id="organization_name"
            name="organization_name"
            type="text"
            autocomplete="organization"
            required
            minlength="3"
            maxlength="100"
            autofocus
            ${error && html`aria-invalid="true" aria-describedby="error"`}
          />
          ${error && html`<p class="error" id="error" role="alert">${error}</p>`}
        </div>
        <div class="actions"><button class="primary" type="submit">Create and continue</button></div>
      </form>
      <form method="post" action="${action}/consent">
        <input type="hidden" name="csrf" value="${csrf}" />
        <div class="actions"><button type="submit" name="action" value="deny">Go back</button></div>
      </form>
    </div>`,
  })
}
