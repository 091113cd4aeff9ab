import type { AppOptions } from '../web/app-options.ts'
import { describeBrowser } from '../pages/account-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { passkeyPage } from '../pages/passkey-page.ts'
import { passkeyScriptHash } from '../pages/passkey-script.ts'
import { findAccountDetails } from '../accounts/load-account-details.ts'
import { routes } from '../routes.ts'
import { redirectToAccount, readTextField, type AccountRoutes, type AccountRequest } from '../sessions/account-requests.ts'
import { createRegistrationOptions, registerPasskey } from '../second-factors/passkey-registration.ts'
import { removePasskey } from '../second-factors/passkeys.ts'
import { showNewRecoveryCodes } from './recovery-code-pages.ts'
import { deleteIdleRecoveryCodes } from '../second-factors/second-factors.ts'

interface PasskeyPageOptions extends AppOptions {
  visits: AccountRoutes
}

/** Adds the pages for adding and removing a passkey. */
export function addPasskeyPages({ visits, ...options }: PasskeyPageOptions): void {
  const { systemSql } = options
  visits.show('add-passkey', { fresh: true }, (visit) => show(options, visit, { status: 200, error: null }))
  visits.act('add-passkey', { fresh: true }, (visit) => add(options, visit))
  visits.act('remove-passkey', { fresh: true }, async ({ session: { accountId }, form, reply }) => {
    const id = readTextField(form['id'])
    if (id) await removePasskey(systemSql, { accountId, id })
    await deleteIdleRecoveryCodes(systemSql, accountId)
    return redirectToAccount(reply, 'passkey-removed')
  })
}

async function show(options: AppOptions, visit: AccountRequest, { status, error }: { status: number; error: string | null }) {
  const account = await findAccountDetails(options.systemSql, visit.session.accountId)
  const passkey = account && (await createRegistrationOptions(options, { account, subject: visit.session.uid }))
  if (!passkey) return redirectToAccount(visit.reply)
  const page = passkeyPage({ action: `${routes.account}/add-passkey`, back: routes.account, csrf: visit.csrf, passkey, error })
  return visit.reply
    .code(status)
    .headers(pageHeaders({ scriptHashes: [passkeyScriptHash] }))
    .send(page)
}

async function add(options: AppOptions, visit: AccountRequest) {
  const { session, form, request } = visit
  const isAdded = await registerPasskey(options, {
    accountId: session.accountId,
    subject: session.uid,
    form,
    name: describeBrowser(request.headers['user-agent'] ?? null),
  })
  if (!isAdded) return show(options, visit, { status: 400, error: 'This passkey was not accepted. Start again, or use another device.' })
  return showNewRecoveryCodes(options, visit, { title: 'Your passkey is set up', notice: 'passkey-added' })
}
