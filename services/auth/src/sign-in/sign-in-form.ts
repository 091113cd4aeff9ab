import { z } from 'zod'
import type { SignIn } from './sign-in.ts'

const Form = z.object({
  email: z
    .string()
    .min(1)
    .max(254)
    .regex(/^[^\0]*$/),
  password: z.string().min(1).max(200),
})

/** A form that did not sign anybody in, as its page is shown again. */
export interface Refusal {
  kind: 'refused'
  status: 400 | 401 | 429
  /** What was typed. */
  email: string
  error: string
  retryAfterSeconds: number | null
}

/** The same words for an unknown address and a wrong password. */
const wrongCredentials = 'E-mail address or password is wrong.'

/** What a sign-in form that was sent leads to, on whichever page it stands. */
export async function tryForm(
  signIn: SignIn,
  { form, ip }: { form: Record<string, unknown>; ip: string },
): Promise<Refusal | { kind: 'signed-in'; accountId: string }> {
  const given = Form.safeParse(form)
  const email = typeof form['email'] === 'string' ? form['email'].slice(0, 254) : ''
  const refused = { kind: 'refused', email, error: wrongCredentials, retryAfterSeconds: null } as const
  if (!given.success) return { ...refused, status: 400 }
  const outcome = await signIn({ ...given.data, ip })
  if (outcome.kind === 'signed-in') return outcome
  if (outcome.kind === 'wrong') return { ...refused, status: 401 }
  const { retryAfterSeconds } = outcome
  // The same for every address, known or not.
  return {
    ...refused,
    status: 429,
    error: `Too many attempts. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    retryAfterSeconds,
  }
}
