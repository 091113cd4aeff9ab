import { ApiError } from '@quittance/contracts/errors'
import type { SystemTransaction } from '@quittance/runtime/handler'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import type { AppOptions } from '../web/app-options.ts'
import { invitationsPage, signInFirstPage } from '../pages/invitations-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { routes } from '../routes.ts'
import { browserSession } from '../sessions/browser-session.ts'
import { acceptInvitationAs, declineInvitationAs, type InvitationAnswer } from '../invitations/close-invitation.ts'
import { readReceivedInvitations } from '../invitations/received-invitations.ts'

const findAccount = `select email, email_verified_at is not null as is_verified from accounts where id = :account_id`

const Query = z.object({ token: z.string().max(100).nullable().catch(null).default(null) })
const Form = z.object({ invitation_id: z.uuid() })

/** Adds the pages on which a signed-in user accepts and declines invitations to the verified address of the account. */
export function addInvitationPages(app: FastifyInstance, { provider, csrf, systemSql, inTransaction }: AppOptions): void {
  app.get(routes.invitations, async (request, reply) => {
    const { accountId, uid } = await browserSession(provider(), request, reply)
    if (!accountId) return reply.headers(pageHeaders()).send(signInFirstPage(routes.account))
    const { token } = Query.parse(request.query)
    const [account] = await systemSql<{ email: string; is_verified: boolean }>('invitations.account', findAccount, {
      account_id: accountId,
    })
    const invitations = await readReceivedInvitations(systemSql, { accountId, token })
    const page = invitationsPage({
      path: routes.invitations,
      csrf: csrf.token(uid),
      email: account?.email ?? '',
      isEmailVerified: account?.is_verified ?? false,
      invitations,
      isLinkUnknown: token !== null && !invitations.some(({ isLinked }) => isLinked),
    })
    return reply.headers(pageHeaders()).send(page)
  })

  answer('accept', acceptInvitationAs)
  answer('decline', declineInvitationAs)

  /**
   * Adds a form of the page. An invitation that was accepted, declined, revoked or replaced since is missing when the page is shown again.
   */
  function answer(name: string, work: (given: InvitationAnswer, transaction: SystemTransaction) => Promise<unknown>): void {
    app.post(`${routes.invitations}/${name}`, async (request, reply) => {
      const { accountId, uid } = await browserSession(provider(), request, reply)
      if (!accountId) return back(reply)
      const form = (request.body ?? {}) as Record<string, unknown>
      if (!csrf.matches(uid, form['csrf'])) throw new errors.SessionNotFound('the form was not issued for this session')
      const given = Form.safeParse(form)
      if (given.success) {
        const choice = { invitationId: given.data.invitation_id, accountId }
        await inTransaction((transaction) => work(choice, transaction)).catch(ignoreRejection)
      }
      return back(reply)
    })
  }
}

function ignoreRejection(error: unknown): void {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
}

function back(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(routes.invitations, 303)
}
