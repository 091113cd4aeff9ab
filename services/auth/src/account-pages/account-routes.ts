import type { FastifyInstance } from 'fastify'
import { addPasswordPages } from './password-pages.ts'
import { findAccountDetails } from '../accounts/load-account-details.ts'
import type { AppOptions } from '../web/app-options.ts'
import { accountPage } from '../pages/account-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { localTimeScriptHash } from '../pages/local-time-script.ts'
import { routes } from '../routes.ts'
import { readPasskeys } from '../second-factors/passkeys.ts'
import { relyingParty } from '../second-factors/relying-party.ts'
import { addPasskeyPages } from './passkey-pages.ts'
import { addRecoveryCodePages } from './recovery-code-pages.ts'
import { addTotpPages } from './totp-pages.ts'
import { readSecondFactors } from '../second-factors/second-factors.ts'
import { addAccountSignIn, showAccountSignIn } from './account-sign-in.ts'
import { accountRoutes, redirectToAccount, readTextField } from '../sessions/account-requests.ts'
import { browserSession } from '../sessions/browser-session.ts'
import { disconnect, readClientNotices, readConnectedApps } from '../sessions/connected-apps.ts'
import { endSessions, readSessions } from '../sessions/session-list.ts'

/** Adds the account pages of a user: sign-in methods, connected applications and signed-in browsers. */
export function addAccountRoutes(app: FastifyInstance, options: AppOptions): void {
  const { systemSql, revocation, csrf } = options
  const visits = accountRoutes(app, options)
  addAccountSignIn(app, options)
  addPasswordPages(app, { ...options, visits })
  addTotpPages({ ...options, visits })
  addPasskeyPages({ ...options, visits })
  addRecoveryCodePages({ ...options, visits })

  app.get(routes.account, async (request, reply) => {
    const session = await browserSession(options.provider(), request, reply)
    const account = session.accountId ? await findAccountDetails(systemSql, session.accountId) : null
    if (!account) return showAccountSignIn(options, { request, reply, session: { ...session, accountId: null } })
    const [factors, passkeys, apps, sessions, clientNotices] = await Promise.all([
      readSecondFactors(systemSql, account.id),
      readPasskeys(systemSql, account.id),
      readConnectedApps(systemSql, account.id),
      readSessions(systemSql, account.id),
      readClientNotices(systemSql, account.id),
    ])
    const page = accountPage({
      path: routes.account,
      csrf: csrf.token(session.uid),
      account,
      factors,
      passkeys,
      canUsePasskeys: relyingParty(options.authUrl) !== null,
      apps,
      sessions,
      clientNotices,
      currentUid: session.uid,
      notice: readTextField((request.query as { notice?: unknown }).notice),
      now: Date.now(),
    })
    return reply.headers(pageHeaders({ scriptHashes: [localTimeScriptHash] })).send(page)
  })

  // Revoking access requires no recent sign-in: it must be quick in an emergency.
  visits.act('disconnect', { fresh: false }, async ({ session: { accountId }, form, reply }) => {
    const [grantId, clientId] = [readTextField(form['grant_id']), readTextField(form['client_id'])]
    if (grantId || clientId) await disconnect(systemSql, revocation, { accountId, grantId, clientId })
    return redirectToAccount(reply)
  })
  visits.act('end-session', { fresh: false }, async ({ session: { accountId }, form, reply }) => {
    const uid = readTextField(form['uid'])
    if (uid) await endSessions(systemSql, { accountId, uid })
    return redirectToAccount(reply)
  })
  visits.act('sign-out-everywhere', { fresh: false }, async ({ session, reply }) => {
    await endSessions(systemSql, { accountId: session.accountId, uid: null })
    await session.end()
    return redirectToAccount(reply)
  })
  visits.act('sign-out', { fresh: false }, async ({ session, reply }) => {
    await session.end()
    return redirectToAccount(reply)
  })
}
