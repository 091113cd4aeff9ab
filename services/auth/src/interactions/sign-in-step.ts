import type { FastifyReply } from 'fastify'
import { submitPasskey } from '../sign-in-pages/submit-passkey.ts'
import { submitSignIn } from '../sign-in-pages/submit-sign-in.ts'
import { submitSecondFactor } from '../sign-in-pages/second-factor-form.ts'
import { renderSignIn } from '../sign-in-pages/sign-in-form.ts'
import type { SignInContext } from '../sign-in-pages/sign-in-context.ts'
import { browserSession, type SignedIn } from '../sessions/browser-session.ts'
import { finishInteraction, unbindFromSession, type InteractionContext } from './interaction-context.ts'

/** Sign-in steps within an authorization request, by the last segment of their path. */
export const signInSteps = {
  'sign-in': async (step: InteractionContext) => submitSignIn(await createSignInContext(step)),
  'second-factor': async (step: InteractionContext) => submitSecondFactor(await createSignInContext(step)),
  passkey: async (step: InteractionContext) => submitPasskey(await createSignInContext(step)),
}

export async function renderSignInStep(step: InteractionContext): Promise<FastifyReply> {
  return renderSignIn(await createSignInContext(step))
}

async function createSignInContext(step: InteractionContext): Promise<SignInContext> {
  const { details, path, options, provider, request, reply, form } = step
  const client = await provider.Client.find(String(details.params['client_id']))
  const hint = details.params['login_hint']
  return {
    options,
    provider,
    request,
    reply,
    form,
    path,
    suffix: '',
    subject: details.uid,
    clientName: client?.clientName ?? null,
    endsAtClient: true,
    confirms: null,
    email: typeof hint === 'string' ? hint.slice(0, 254) : '',
    finish: (signedIn) => signInAs(step, signedIn),
  }
}

/**
 * Continues the authorization request. Ends a session of another account first and unbinds the request from it: the page that the library
 * would show for this needs a script.
 */
async function signInAs(step: InteractionContext, signedIn: SignedIn): Promise<FastifyReply> {
  const { provider, details, request, reply } = step
  const session = await browserSession(provider, request, reply)
  if (session.accountId && session.accountId !== signedIn.accountId) {
    await session.end()
    await unbindFromSession(details)
  }
  // A sign-in answers `prompt=select_account` too: the user has selected the account.
  return finishInteraction(step, { login: { ...signedIn }, select_account: {} }, false)
}
