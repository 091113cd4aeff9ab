import type { FastifyReply } from 'fastify'
import type { AppOptions } from '../web/app-options.ts'
import { pageHeaders } from '../pages/layout.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.ts'
import { routes } from '../routes.ts'
import { redirectToAccount, type AccountRoutes, type Notice, type AccountRequest } from '../sessions/account-requests.ts'
import { generateRecoveryCodes } from '../second-factors/recovery-codes.ts'
import { readSecondFactors } from '../second-factors/second-factors.ts'

interface RecoveryCodePageOptions extends AppOptions {
  visits: AccountRoutes
}

/** Adds the page that replaces the recovery codes. */
export function addRecoveryCodePages({ visits, ...options }: RecoveryCodePageOptions): void {
  visits.act('recovery-codes', { fresh: true }, async (visit) => {
    const { isOn } = await readSecondFactors(options.systemSql, visit.session.accountId)
    if (!isOn) return redirectToAccount(visit.reply)
    return showCodes(visit, {
      title: 'Your new recovery codes',
      codes: await generateCodes(options, visit),
    })
  })
}

/** Completes the setup of a factor: with the first factor come recovery codes, shown only here. */
export async function showNewRecoveryCodes(
  options: AppOptions,
  visit: AccountRequest,
  { title, notice }: { title: string; notice: Notice },
): Promise<FastifyReply> {
  const { recoveryCodeCount } = await readSecondFactors(options.systemSql, visit.session.accountId)
  if (recoveryCodeCount > 0) return redirectToAccount(visit.reply, notice)
  return showCodes(visit, { title, codes: await generateCodes(options, visit) })
}

function generateCodes({ inTransaction }: AppOptions, { session }: AccountRequest): Promise<string[]> {
  return inTransaction(({ systemSql }) => generateRecoveryCodes(systemSql, session.accountId))
}

function showCodes({ reply }: AccountRequest, { title, codes }: { title: string; codes: string[] }): FastifyReply {
  return reply.headers(pageHeaders()).send(recoveryCodesPage({ title, codes, back: routes.account }))
}
