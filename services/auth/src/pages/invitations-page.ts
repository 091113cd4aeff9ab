import type { ReceivedInvitation } from '../invitations/received-invitations.ts'
import { html, isolate, type Html } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { truncateName } from './consent-page.ts'

export interface InvitationsPage {
  /** Path of the page; its forms go below it. */
  path: string
  csrf: string
  /** Address of the account that is signed in. */
  email: string
  isEmailVerified: boolean
  invitations: readonly ReceivedInvitation[]
  /** Whether the page was opened by a link that matches none of the invitations. */
  isLinkUnknown: boolean
}

/** Shows a signed-in user the open invitations to the address, with the name of the organization and nothing else of it. */
export function invitationsPage({ path, csrf, email, isEmailVerified, invitations, isLinkUnknown }: InvitationsPage): string {
  return layout({
    title: 'Invitations',
    wide: true,
    body: html`<section class="card" aria-labelledby="invitations">
      <h1 id="invitations">Invitations</h1>
      <p class="quiet">You are signed in as <bdi>${email}</bdi>.</p>
      ${!isEmailVerified && html`<div class="notice"><p>Your e-mail address is not verified, so invitations to it are not shown. Ask the operator of this system to verify it.</p></div>`}
      ${isEmailVerified && isLinkUnknown && html`<div class="notice"><p>This link belongs to an invitation that is not open any more, or that was sent to another address. To use another account, sign out first.</p></div>`}
      ${isEmailVerified && invitations.length === 0 && html`<p>You have no open invitations.</p>`}
      <ul class="rows">
        ${invitations.map((invitation) => invitationRow(invitation, { path, csrf }))}
      </ul>
    </section>`,
  })
}

function invitationRow({ id, organizationName, expiresAt }: ReceivedInvitation, { path, csrf }: { path: string; csrf: string }): Html {
  const name = truncateName(organizationName)
  const button = (action: 'accept' | 'decline', label: string) =>
    html`<form method="post" action="${path}/${action}">
      <input type="hidden" name="csrf" value="${csrf}" /><input type="hidden" name="invitation_id" value="${id}" />
      <button class="small" type="submit" aria-label="${label} the invitation of ${name}">${label}</button>
    </form>`
  return html`<li>
    <div>
      <strong>${isolate(name)}</strong> invites you to become a member. As a member you can act for it.<br />
      <span class="quiet">Open until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC</span>
    </div>
    ${button('accept', 'Accept')} ${button('decline', 'Decline')}
  </li>`
}

/** Shown to a browser that is not signed in; the same for every link, so that it does not reveal whether one is genuine. */
export function signInFirstPage(accountPath: string): string {
  return layout({
    title: 'Invitations',
    body: html`<div class="card">
      <h1>Sign in to see your invitations</h1>
      <p>
        An invitation is answered by the account with the address it was sent to. <a href="${accountPath}">Sign in</a>, then open the link
        of the invitation again.
      </p>
      <p class="quiet">If you have no account yet, ask the operator of this system for one.</p>
    </div>`,
  })
}
