import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { foundOrganization, isSlugTaken } from '../organizations/found-organization.ts'
import { slugOf } from '../organizations/slug-of.ts'
import { demandAccount, showConsent } from './consent.ts'
import type { Step } from './step.ts'

/** For a person without an organization: makes one in the middle of the request, and goes on choosing. */
export async function createOrganization(step: Step): Promise<FastifyReply> {
  const { form, options } = step
  const name = typeof form['organization_name'] === 'string' ? form['organization_name'].trim() : ''
  if (!/^[^\0]{3,100}$/.test(name)) return showConsent(step, { status: 400, error: 'The name must have 3 to 100 characters.' })
  const accountId = demandAccount(step)
  await options.inTransaction(async (transaction) => {
    const plain = slugOf(name)
    const slug = (await isSlugTaken(transaction, plain)) ? `${plain}-${randomBytes(3).toString('hex')}` : plain
    await foundOrganization(transaction, { accountId, name, slug, profile: {} })
  })
  return step.reply.redirect(step.path, 303)
}
