import type { AccountDetails } from '../accounts/load-account-details.ts'
import type { Passkey } from '../second-factors/passkeys.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import type { ButtonFactory } from './account-button.ts'
import { html, type Html } from '@quittance/pages/html'
import { relativeTime, formatDate } from './relative-time.ts'

export interface SignInSettings {
  /** Path of the account page; the settings pages are below it. */
  path: string
  account: AccountDetails
  factors: SecondFactors
  passkeys: readonly Passkey[]
  /** False if the site has no name that passkeys could be bound to. */
  canUsePasskeys: boolean
  /** Milliseconds since 1970. */
  now: number
}

/** Renders the sign-in methods of the user and those that can be added. */
export function signInSettings(page: SignInSettings, button: ButtonFactory): Html {
  const { path, account, factors, passkeys, canUsePasskeys, now } = page
  return html`<section class="card" aria-labelledby="sign-in">
    <h2 id="sign-in">How you sign in</h2>
    <ul class="rows">
      <li>
        <div>
          Password<br />
          <span class="quiet"
            >${account.passwordChangedAt ? html`Changed ${relativeTime(account.passwordChangedAt, now)}` : 'Not changed yet'}</span
          >
        </div>
        <a class="button small" href="${path}/password">Change password</a>
      </li>
      <li>
        <div>
          Authenticator app<br />
          <span class="quiet">${factors.hasTotp ? 'On: a code is asked after your password' : 'Off'}</span>
        </div>
        ${
          factors.hasTotp
            ? button({ action: 'totp-off', label: 'Remove', name: 'Remove the authenticator app' })
            : html`<a class="button small" href="${path}/totp">Set up app</a>`
        }
      </li>
      ${passkeys.map((passkey) => passkeyRow(passkey, { now, button }))}
      ${
        canUsePasskeys &&
        html`<li>
          <div>
            ${passkeys.length > 0 ? 'Another passkey' : 'Passkeys'}<br />
            <span class="quiet">Sign in with your fingerprint, face, device PIN or security key</span>
          </div>
          <a class="button small" href="${path}/add-passkey">Add passkey</a>
        </li>`
      }
      ${factors.isOn && recoveryRow(page, button)}
    </ul>
    ${
      !factors.isOn &&
      html`<p class="quiet">
        Your password alone opens your account. With an authenticator app or a passkey, somebody who learns it cannot sign in.
      </p>`
    }
  </section>`
}

function passkeyRow(
  { id, name, createdAt, lastUsedAt, isBackedUp }: Passkey,
  { now, button }: { now: number; button: ButtonFactory },
): Html {
  return html`<li>
    <div>
      Passkey made with <bdi>${name}</bdi><br />
      <span class="quiet"
        >${isBackedUp ? 'Synced, added' : 'Added'} ${formatDate(createdAt)},
        ${lastUsedAt ? html`used ${relativeTime(lastUsedAt, now)}` : 'not used yet'}</span
      >
    </div>
    ${button({ action: 'remove-passkey', label: 'Remove', name: `Remove the passkey made with ${name}`, field: 'id', value: id })}
  </li>`
}

function recoveryRow({ factors: { recoveryCodeCount } }: SignInSettings, button: ButtonFactory): Html {
  return html`<li>
    <div>
      Recovery codes<br />
      <span class="quiet"
        >${recoveryCodeCount === 1 ? '1 code is' : `${recoveryCodeCount} codes are`} left, for when you have nothing else</span
      >
    </div>
    ${button({ action: 'recovery-codes', label: 'New codes', name: 'New codes in place of your recovery codes' })}
  </li>`
}
