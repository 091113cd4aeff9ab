import type { FastifyReply } from 'fastify'
import { pageHeaders } from '../pages/layout.ts'
import { selectAccountPage } from '../pages/select-account-page.ts'
import { readSignedInEmail } from './consent.ts'
import { finishInteraction, type InteractionContext } from './interaction-context.ts'

/** Renders the page of `prompt=select_account` for a signed-in user. */
export async function renderAccountSelection(step: InteractionContext): Promise<FastifyReply> {
  const { provider, details, path, options, reply } = step
  const client = await provider.Client.find(String(details.params['client_id']))
  const page = selectAccountPage({
    action: path,
    csrf: options.csrf.token(details.uid),
    clientName: client?.clientName ?? String(details.params['client_id']),
    email: await readSignedInEmail(step),
  })
  return reply.headers(pageHeaders({ endsAtClient: true })).send(page)
}

/** Continues with the account that is signed in. */
export async function keepAccount(step: InteractionContext): Promise<FastifyReply> {
  return finishInteraction(step, { select_account: {} })
}
