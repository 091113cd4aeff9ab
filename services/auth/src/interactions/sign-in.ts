import type { FastifyReply } from 'fastify'
import { formTarget, pageHeaders } from '../pages/layout.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { SignInForm, throttled, wrongCredentials } from '../sign-in/sign-in-form.ts'
import { finish, type Step } from './step.ts'

export function showSignIn(step: Step): Promise<FastifyReply> {
  const hint = step.details.params['login_hint']
  return show(step, { status: 200, email: typeof hint === 'string' ? hint.slice(0, 254) : '', error: null })
}

export async function answerSignIn(step: Step): Promise<FastifyReply> {
  const form = SignInForm.safeParse(step.form)
  const email = typeof step.form['email'] === 'string' ? step.form['email'].slice(0, 254) : ''
  if (!form.success) return show(step, { status: 400, email, error: wrongCredentials })
  const outcome = await step.options.signIn({ ...form.data, ip: step.request.ip })
  switch (outcome.kind) {
    case 'wrong':
      return show(step, { status: 401, email, error: wrongCredentials })
    case 'throttled':
      step.reply.header('retry-after', outcome.retryAfterSeconds)
      return show(step, { status: 429, email, error: throttled(outcome.retryAfterSeconds) })
    case 'signed-in':
      return finish(step, { login: { accountId: outcome.accountId, amr: ['pwd'] } }, false)
  }
}

interface Shown {
  status: number
  email: string
  error: string | null
}

async function show({ details, path, options, provider, reply }: Step, { status, ...shown }: Shown): Promise<FastifyReply> {
  const client = await provider.Client.find(String(details.params['client_id']))
  const page = signInPage({
    action: `${path}/sign-in`,
    csrf: options.csrf.token(details.uid),
    clientName: client?.clientName ?? null,
    ...shown,
  })
  return reply
    .code(status)
    .headers(pageHeaders(formTarget(details.params['redirect_uri'])))
    .send(page)
}
