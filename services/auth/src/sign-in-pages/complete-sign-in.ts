import type { FastifyReply } from 'fastify'
import { rememberDevice } from '../sign-in/known-devices.ts'
import type { SignedIn } from '../sessions/browser-session.ts'
import type { SignInContext } from './sign-in-context.ts'

/** Records the browser as known to the account and finishes the sign-in. */
export async function completeSignIn(context: SignInContext, signedIn: SignedIn): Promise<FastifyReply> {
  const { options, provider, request, reply } = context
  await rememberDevice({ provider, systemSql: options.systemSql, request, reply }, signedIn.accountId)
  return context.finish(signedIn)
}
