import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { openSecret } from '@quittance/runtime/encryption'
import type { MailSettings } from '../config.ts'
import { buildContent } from '../content/build-content.ts'
import { MailData } from '../content/mail-data.ts'
import type { OwnAddresses } from '../content/own-address.ts'
import { findEmailSetting } from '../messages/email-settings.ts'
import { assertMailAddress, composeMessage, type ComposedMessage } from '../rendering/compose-message.ts'
import { describeFailure } from '../transport/classify-failure.ts'
import type { ClaimedMessage } from './claim-message.ts'

/**
 * What to do with a claimed mail. `disabled`: the seller switched it off. `unknown`: its seller or address has not arrived yet.
 * `invalid`: it can never be sent.
 */
export type PreparedMessage =
  | { outcome: 'ready'; message: ComposedMessage }
  | { outcome: 'disabled' }
  | { outcome: 'unknown'; reason: string }
  | { outcome: 'invalid'; reason: string }

/** Builds the complete message of a row. The same row gives the same message in every attempt. */
export async function prepareMessage(claimed: ClaimedMessage, settings: MailSettings): Promise<PreparedMessage> {
  const { organization_id, seller_name, seller_slug, recipient, email_settings } = claimed
  if (organization_id !== null && seller_name === null) return { outcome: 'unknown', reason: 'The organization is not known yet' }
  try {
    const data = MailData.parse(claimed.content)
    const setting = findEmailSetting(data)
    if (setting !== null && email_settings?.[setting] === false) return { outcome: 'disabled' }
    if (recipient === null) return { outcome: 'unknown', reason: 'The address of the customer is not known yet' }
    const secret = openMailSecret(claimed, { kind: data.kind, settings })
    const mail = { data, seller: seller_name ?? 'Quittance', slug: seller_slug, locale: claimed.locale, secret }
    const content = buildContent(mail, ownAddresses(settings))
    const head = {
      id: claimed.id,
      createdAt: new Date(claimed.created_at),
      recipient,
      from: settings.transport.from,
      replyTo: validAddress(claimed.seller_email),
    }
    return { outcome: 'ready', message: await composeMessage(content, head) }
  } catch (error) {
    return { outcome: 'invalid', reason: describeFailure(error) }
  }
}

interface SecretOptions {
  kind: MailData['kind']
  settings: MailSettings
}

function openMailSecret({ sealed_secret, source_id }: ClaimedMessage, { kind, settings }: SecretOptions): string | null {
  if (sealed_secret === null || (kind !== 'customer_code' && kind !== 'invitation')) return null
  return openSecret(sealed_secret, { keys: settings.MAIL_KEY, context: mailSecretContext(kind, source_id) })
}

function ownAddresses({ BASE_URL: api, AUTH_URL, PAGES_URL }: MailSettings): OwnAddresses {
  return { api, auth: AUTH_URL ?? api, pages: PAGES_URL ?? api }
}

/** A seller's address that is no address must not stop receipts. */
function validAddress(address: string | null): string | null {
  if (address === null) return null
  try {
    assertMailAddress(address)
    return address
  } catch {
    return null
  }
}
