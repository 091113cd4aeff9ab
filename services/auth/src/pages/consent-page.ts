import { scopeSentences, type Scope } from '@quittance/contracts/scopes'
import { html, type Html } from './html.ts'
import { layout } from './layout.ts'
import { shortened } from './shortened-name.ts'

export interface ChoosableOrganization {
  id: string
  name: string
  slug: string
}

export interface ConsentPage {
  /** Path of the interaction; forms go below it. */
  action: string
  csrf: string
  client: { name: string; isTrusted: boolean; redirectHost: string; termsUri: string | null; policyUri: string | null }
  email: string
  scopes: readonly Scope[]
  /** What can be chosen; null when the application asks for the person. */
  organizations: readonly ChoosableOrganization[] | null
  chosen: string | null
  error: string | null
}

/** One page for both questions: may it, and for which organization. */
export function consentPage(page: ConsentPage): string {
  const { action, csrf, client, email, scopes, organizations, error } = page
  return layout({
    title: error ? `Error: allow ${shortened(client.name)}` : `Allow ${shortened(client.name)}`,
    body: html`<div class="card">
        <h1>Allow <q>${shortened(client.name)}</q> to use your ${organizations ? 'organization' : 'account'}?</h1>
        ${
          !client.isTrusted &&
          html`<div class="notice">
            <p>
              <strong>Not verified.</strong> Anybody can register an application under any name. Continue only if you started this yourself.
            </p>
          </div>`
        }
        <form method="post" action="${action}/consent">
          <input type="hidden" name="csrf" value="${csrf}" />
          ${organizations && organizationField(page)}
          <h2 id="scopes">It will be able to</h2>
          <ul class="scopes" aria-labelledby="scopes">
            ${sentences(scopes).map((sentence) => html`<li>${sentence}</li>`)}
          </ul>
          <p class="quiet">You will be sent to <strong>${client.redirectHost}</strong>.${links(client)}</p>
          <div class="actions">
            <button class="primary" type="submit" name="action" value="allow">Allow</button>
            <button type="submit" name="action" value="deny" formnovalidate>Deny</button>
          </div>
        </form>
      </div>
      <div class="foot">
        Signed in as ${email}.
        <form method="post" action="${action}/switch">
          <input type="hidden" name="csrf" value="${csrf}" /><button class="link" type="submit">Use another account</button>
        </form>
      </div>`,
  })
}

function organizationField({ organizations, chosen, error }: ConsentPage): Html {
  const only = organizations?.length === 1 ? organizations[0]?.id : null
  return html`<fieldset${error && html` aria-describedby="error" aria-invalid="true"`}>
<legend>Which organization?</legend>
${error && html`<p class="error" id="error" role="alert">${error}</p>`}
${organizations?.map(
  ({ id, name, slug }) =>
    html`<label class="choice"
      ><input type="radio" name="organization_id" value="${id}" required${(chosen ?? only) === id && html` checked`} /><span
        >${name}<small>${slug}</small></span
      ></label
    >`,
)}
</fieldset>`
}

function sentences(scopes: readonly Scope[]): string[] {
  return scopes.map((scope) => scopeSentences[scope]).toSorted((a, b) => a.localeCompare(b, 'en'))
}

function links({ termsUri, policyUri }: ConsentPage['client']): Html {
  return html`${termsUri && html` <a href="${termsUri}" rel="noreferrer">Terms of service</a>.`}${policyUri && html` <a href="${policyUri}" rel="noreferrer">Privacy policy</a>.`}`
}
