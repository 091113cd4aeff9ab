import type { FastifyReply } from 'fastify'
import { pageHeaders } from '../pages/layout.ts'
import { passkeyScriptHash } from '../pages/passkey-script.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { routes } from '../routes.ts'
import { createPasskeyOptions } from '../second-factors/passkey-sign-in.ts'
import type { SignInContext } from './sign-in-context.ts'

interface SignInFormState {
  status: number
  /** Entered e-mail address. */
  email: string
  error: string | null
}

/** Renders the page for e-mail address and password, or for a passkey. */
export async function renderSignIn(
  context: SignInContext,
  { status, email, error }: SignInFormState = { status: 200, email: context.email, error: null },
): Promise<FastifyReply> {
  const { options, path, suffix, subject, confirms, clientName } = context
  const page = signInPage({
    path,
    suffix,
    csrf: options.csrf.token(subject),
    clientName,
    confirms: confirms?.email ?? null,
    email: confirms?.email ?? email,
    error,
    passkey: await createPasskeyOptions(context),
    forgotPasswordPath: routes.forgotPassword,
  })
  return context.reply
    .code(status)
    .headers(pageHeaders({ endsAtClient: context.endsAtClient, scriptHashes: [passkeyScriptHash] }))
    .send(page)
}

/** Formats the wait as text, rounded up to minutes or hours. */
export function formatTooManyAttempts(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  const [count, unit] = minutes < 120 ? [minutes, 'minute'] : [Math.ceil(minutes / 60), 'hour']
  return `Too many attempts. Try again in ${count} ${unit}${count === 1 ? '' : 's'}.`
}
