import { scopeSentences, type Scope } from '@quittance/contracts/scopes'
import type { ConnectedApp } from '../sessions/connected-apps.ts'
import type { SignedInBrowser } from '../sessions/session-list.ts'
import { describeBrowser } from './describe-browser.ts'
import { html, type Html } from './html.ts'
import { layout } from './layout.ts'

export interface AccountPage {
  /** Path of the page; its forms go below it. */
  path: string
  csrf: string
  apps: readonly ConnectedApp[]
  sessions: readonly SignedInBrowser[]
  currentUid: string
}

export function accountPage({ path, csrf, apps, sessions, currentUid }: AccountPage): string {
  const button = ({ action, label, name, field, value }: Button) =>
    html`<form method="post" action="${path}/${action}">
      <input type="hidden" name="csrf" value="${csrf}" />${field && html`<input type="hidden" name="${field}" value="${value}" />`}
      <button class="small" type="submit" aria-label="${name}">${label}</button>
    </form>`
  return layout({
    title: 'Your account',
    wide: true,
    body: html`<section class="card" aria-labelledby="apps">
        <h1 id="apps">Connected apps</h1>
        ${apps.length === 0 && html`<p class="quiet">You have not allowed any application to act for you.</p>`}
        <ul class="rows">
          ${apps.map((app) => appRows(app, button))}
        </ul>
      </section>
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">Where you are signed in</h2>
        <ul class="rows">
          ${sessions.map((session) => sessionRow({ session, isCurrent: session.uid === currentUid, button }))}
        </ul>
        <div class="actions">${button({ action: 'sign-out-everywhere', label: 'Sign out everywhere', name: 'Sign out everywhere' })}</div>
      </section>`,
  })
}

interface Button {
  action: string
  label: string
  /** What a screen reader says; tells equal labels apart. */
  name: string
  field?: string
  value?: string
}

type MakeButton = (button: Button) => Html

function appRows({ clientId, name, connections }: ConnectedApp, button: MakeButton): Html {
  const whole = button({ action: 'disconnect', label: 'Disconnect', name: `Disconnect ${name}`, field: 'client_id', value: clientId })
  return html`<li>
      <div><strong>${name}</strong>${connections.length === 0 && html`<br /><span class="quiet">Allowed, not in use</span>`}</div>
      ${whole}
    </li>
    ${connections.map(
      ({ grantId, createdAt, organization, scopes }) =>
        html`<li>
          <div class="quiet">For ${organization ?? 'your account'}, since ${moment(createdAt)}. ${sentencesOf(scopes)}</div>
          ${connections.length > 1 && button({ action: 'disconnect', label: 'End this one', name: `End the connection of ${name} since ${moment(createdAt)}`, field: 'grant_id', value: grantId })}
        </li>`,
    )}`
}

function sessionRow({ session, isCurrent, button }: { session: SignedInBrowser; isCurrent: boolean; button: MakeButton }): Html {
  const { uid, userAgent, ip, seenAt } = session
  return html`<li>
    <div>
      ${describeBrowser(userAgent)}${isCurrent && html` <strong>(this browser)</strong>`}<br />
      <span class="quiet">${ip && `${ip}, `}last seen ${moment(seenAt)}</span>
    </div>
    ${button({ action: isCurrent ? 'sign-out' : 'end-session', label: 'Sign out', name: isCurrent ? 'Sign out of this browser' : `Sign out ${describeBrowser(userAgent)}, last seen ${moment(seenAt)}`, field: 'uid', value: uid })}
  </li>`
}

/** Minutes are enough to tell two of a day apart; the time zone of the reader is not known here. */
function moment(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function sentencesOf(scopes: readonly string[]): string {
  return scopes.map((scope) => scopeSentences[scope as Scope] ?? scope).join('; ')
}
