import { scopeDescriptions, type Scope } from '@quittance/contracts/scopes'
import { accountButtons, type ButtonFactory } from './account-button.ts'
import { clientNotices, type ClientNotice } from './client-notices.ts'
import { html, isolate, shown, type Html } from '@quittance/pages/html'
import { relativeTime, formatRelativeTime, formatDate } from './relative-time.ts'
import { layout } from './layout.ts'
import { localTimeScript } from './local-time-script.ts'
import { signInSettings, type SignInSettings } from './sign-in-settings.ts'

/** One active authorization: a token family. */
export interface Connection {
  grantId: string
  createdAt: string
  /** Null for the user's own account. */
  organization: string | null
  scopes: string[]
}

/** A client the user has authorized. */
export interface ConnectedApp {
  clientId: string
  name: string
  connections: Connection[]
}

/** A browser that is signed in. */
export interface SignedInBrowser {
  uid: string
  userAgent: string | null
  ip: string | null
  seenAt: string
}

export interface AccountPage extends SignInSettings {
  csrf: string
  apps: readonly ConnectedApp[]
  sessions: readonly SignedInBrowser[]
  clientNotices: readonly ClientNotice[]
  currentUid: string
  /** The action that has just completed. */
  notice: string | null
}

const notices = new Map([
  ['password-changed', 'Your password was changed.'],
  ['totp-on', 'Your authenticator app is set up.'],
  ['totp-off', 'Your authenticator app was removed.'],
  ['passkey-added', 'Your passkey was added.'],
  ['passkey-removed', 'The passkey was removed.'],
])

export function accountPage(page: AccountPage): string {
  const { path, csrf, account, apps, sessions, currentUid, now } = page
  const button = accountButtons({ path, csrf })
  const done = page.notice ? notices.get(page.notice) : undefined
  return layout({
    title: 'Your account',
    wide: true,
    script: localTimeScript,
    body: html`<header class="person">
        <div>
          <h1>Your account</h1>
          <p class="quiet"><bdi>${account.email}</bdi>, since ${formatDate(account.createdAt)}</p>
        </div>
        ${button({ action: 'sign-out', label: 'Sign out', name: 'Sign out of this browser' })}
      </header>
      ${done && html`<div class="notice good" role="status"><p>${done}</p></div>`} ${clientNotices(page.clientNotices)}
      ${signInSettings(page, button)}
      <section class="card" aria-labelledby="apps">
        <h2 id="apps">Connected apps</h2>
        ${
          apps.length === 0
            ? html`<p class="quiet">You have not allowed any application to act for you.</p>`
            : html`<ul class="rows">
                ${apps.map((app) => appRows({ app, now, button }))}
              </ul>`
        }
      </section>
      <section class="card" aria-labelledby="invitations">
        <h2 id="invitations">Invitations</h2>
        <p class="quiet">Organizations that invited you are listed on <a href="${path}/invitations">a page of their own</a>.</p>
      </section>
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">Where you are signed in</h2>
        <ul class="rows">
          ${sessions.map((session) => sessionRow({ session, isCurrent: session.uid === currentUid, now, button }))}
        </ul>
        <div class="actions end">
          ${button({ action: 'sign-out-everywhere', label: 'Sign out everywhere', name: 'Sign out everywhere' })}
        </div>
      </section>`,
  })
}

function appRows({ app, now, button }: { app: ConnectedApp; now: number; button: ButtonFactory }): Html {
  const { clientId, name, connections } = app
  const whole = button({
    action: 'disconnect',
    label: 'Disconnect',
    name: `Disconnect ${shown(name)}`,
    field: 'client_id',
    value: clientId,
  })
  return html`<li>
      <div><strong>${isolate(name)}</strong>${connections.length === 0 && html`<br /><span class="quiet">Allowed, not in use</span>`}</div>
      ${whole}
    </li>
    ${connections.map(
      ({ grantId, createdAt, organization, scopes }) =>
        html`<li class="inner">
          <div>
            <span class="quiet"
              >For ${organization === null ? 'all your organizations' : isolate(organization)}, allowed
              ${relativeTime(createdAt, now)}</span
            >
            ${permissionList(scopes)}
          </div>
          ${
            connections.length > 1 &&
            button({
              action: 'disconnect',
              label: 'End',
              name: `End the connection of ${shown(name)} for ${organization === null ? 'all your organizations' : shown(organization)}, allowed ${formatRelativeTime(createdAt, now)}`,
              field: 'grant_id',
              value: grantId,
            })
          }
        </li>`,
    )}`
}

function permissionList(scopes: readonly string[]): Html {
  const sentences = scopes.map((scope) => scopeDescriptions[scope as Scope] ?? scope)
  return html`<details>
    <summary>${sentences.length === 1 ? '1 permission' : `${sentences.length} permissions`}</summary>
    <ul class="plain">
      ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>
  </details>`
}

interface SessionRow {
  session: SignedInBrowser
  isCurrent: boolean
  now: number
  button: ButtonFactory
}

function sessionRow({ session, isCurrent, now, button }: SessionRow): Html {
  const { uid, userAgent, ip, seenAt } = session
  const browser = describeBrowser(userAgent)
  return html`<li>
    <div>
      <bdi>${browser}</bdi>${isCurrent && html` <strong>(this browser)</strong>`}<br />
      <span class="quiet">${ip && html`<bdi>${ip}</bdi>, `}last seen ${relativeTime(seenAt, now)}</span>
    </div>
    ${
      isCurrent
        ? null
        : button({
            action: 'end-session',
            label: 'Sign out',
            name: `Sign out ${browser}, last seen ${formatRelativeTime(seenAt, now)}`,
            field: 'uid',
            value: uid,
          })
    }
  </li>`
}

/** Newer names first: a browser also lists the names of its predecessors. */
const browsers: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(?:Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Describes a `User-Agent` in words a user knows; shows an unknown one unchanged. */
export function describeBrowser(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser'
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (!browser) return userAgent.slice(0, 60)
  return system ? `${browser} on ${system}` : browser
}
