import type { Scope } from '@quittance/contracts/scopes'
import { html, isolate, shown, type Html } from '@quittance/pages/html'
import { formatDate } from './relative-time.ts'
import { layout } from './layout.ts'
import { identityScopes } from './permission-groups.ts'
import { permissionList } from './permission-list.ts'

export interface OrganizationOption {
  id: string
  name: string
  slug: string
  created_at: string
}

/** The requesting application, as far as it can be verified. */
export interface RequestingClient {
  name: string
  isTrusted: boolean
  /** Host of the metadata document that identifies it; null for a registered client. */
  documentHost: string | null
  /** Host of its home page; null if it has none. */
  homeHost: string | null
  /** Null for a client that was never registered. */
  registeredAt: string | null
  redirectHost: string
  termsUri: string | null
  policyUri: string | null
}

export interface ConsentPage {
  /** Path of the interaction; forms go below it. */
  action: string
  csrf: string
  client: RequestingClient
  email: string
  scopes: readonly Scope[]
  /** False if the application requests access to the user's data and all organizations of the user. */
  isForOrganization: boolean
  /** The organizations to choose from, or, for the user, the memberships. */
  organizations: readonly OrganizationOption[]
  chosen: string | null
  error: string | null
}

/** Renders one page for both decisions: consent and organization. */
export function consentPage(page: ConsentPage): string {
  const { action, csrf, client, email, scopes, isForOrganization, error } = page
  return layout({
    title: error ? `Error: allow ${truncateName(shown(client.name))}` : `Allow ${truncateName(shown(client.name))}`,
    body: html`<div class="card">
        <div class="who">
          <div class="monogram" aria-hidden="true">${getMonogram(shown(client.name))}</div>
          <div>${heading(page)}${verification(client)}</div>
        </div>
        ${facts(client)}
        <form method="post" action="${action}/consent">
          <input type="hidden" name="csrf" value="${csrf}" />
          ${isForOrganization ? organizationField(page) : allOrganizations(page)}
          <h2 id="scopes">It will be able to</h2>
          ${permissionList(scopes)}
          <div class="actions">
            <button class="primary" type="submit" name="action" value="allow">Allow</button>
            <button type="submit" name="action" value="deny" formnovalidate>Deny</button>
          </div>
        </form>
      </div>
      <div class="foot">
        Signed in as <bdi>${email}</bdi>.
        <form method="post" action="${action}/switch">
          <input type="hidden" name="csrf" value="${csrf}" /><button class="link" type="submit">Use another account</button>
        </form>
      </div>`,
  })
}

function heading({ client, scopes, isForOrganization }: ConsentPage): Html {
  const name = html`<q>${isolate(truncateName(client.name))}</q>`
  if (isForOrganization) return html`<h1>Allow ${name} to use your organization?</h1>`
  return reachesOrganizations(scopes)
    ? html`<h1>Allow ${name} to act as you in all your organizations?</h1>`
    : html`<h1>Allow ${name} to know who you are?</h1>`
}

function verification({ isTrusted }: RequestingClient): Html {
  return isTrusted
    ? html`<p class="quiet">Verified by the operator of this service</p>`
    : html`<p><span class="mark">Not verified.</span></p>`
}

function facts({ isTrusted, documentHost, homeHost, registeredAt, redirectHost, termsUri, policyUri }: RequestingClient): Html {
  return html`<dl class="facts">
      <dt>Website</dt>
      <dd>${homeHost ? html`<bdi>${homeHost}</bdi>` : 'not stated'}</dd>
      ${
        documentHost &&
        html`<dt>Identified by</dt>
          <dd><strong>${isolate(documentHost)}</strong></dd>`
      }
      ${
        registeredAt &&
        html`<dt>Registered</dt>
          <dd>${formatDate(registeredAt)}</dd>`
      }
      <dt>Sends you to</dt>
      <dd>
        <strong><bdi>${redirectHost}</bdi></strong>
      </dd>
      ${
        (termsUri || policyUri) &&
        html`<dt>Read</dt>
          <dd>
            ${termsUri && html`<a href="${termsUri}" rel="noreferrer">Terms of service</a> `}${policyUri && html`<a href="${policyUri}" rel="noreferrer">Privacy policy</a>`}
          </dd>`
      }
    </dl>
    ${
      !isTrusted &&
      html`<div class="notice">
        <p>Anybody can register an application under any name and website. Continue only if you started this yourself.</p>
      </div>`
    }`
}

function organizationField({ organizations, chosen, error }: ConsentPage): Html {
  const only = organizations.length === 1 ? organizations[0]?.id : null
  return html`<fieldset${error && html` aria-describedby="error" aria-invalid="true"`}>
<legend>Which organization?</legend>
${error && html`<p class="error" id="error" role="alert">${error}</p>`}
${organizations.map(
  ({ id, name, slug, created_at }) =>
    html`<label class="choice"
      ><input type="radio" name="organization_id" value="${id}" required${(chosen ?? only) === id && html` checked`} /><span
        >${isolate(name)}<small>${slug}, since ${formatDate(created_at)}</small></span
      ></label
    >`,
)}
</fieldset>`
}

/** The broadest permission; it must not look like the mildest. */
function allOrganizations({ organizations, scopes }: ConsentPage): Html | null {
  if (!reachesOrganizations(scopes)) return null
  return html`<div class="notice">
    <p><strong>This means all your organizations</strong>, also those that you join later:</p>
    <ul class="plain">
      ${organizations.map(({ name, slug }) => html`<li>${isolate(truncateName(name))} (${slug})</li>`)}
    </ul>
  </div>`
}

function reachesOrganizations(scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => !identityScopes.has(scope))
}

/** Shows no logo: loading it would reveal the user to the site of the application. */
function getMonogram(name: string): string {
  const [letter] = /[\p{L}\p{N}]/u.exec(name) ?? ['?']
  return letter.toLocaleUpperCase('en')
}

/** Shortens a name, whose length is not limited, so that it does not push the important content down. */
export function truncateName(name: string): string {
  const letters = [...new Intl.Segmenter('en').segment(name)].map(({ segment }) => segment)
  return letters.length > 60 ? `${letters.slice(0, 59).join('')}…` : name
}
