import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { openSecret } from '@quittance/runtime/encryption'
import type { MailSettings } from '../config.ts'
import { buildContent } from '../content/build-content.ts'
import { isKnownKind, MailData } from '../content/mail-data.ts'
import { isSellerNotice } from '../content/write-seller-notice.ts'
import { optOutAddress, type OwnAddresses } from '../content/own-address.ts'
import { findEmailSetting, isOptional } from '../messages/email-settings.ts'
import { createOptOutToken } from '../opt-outs/opt-out-token.ts'
import { assertMailAddress, composeMessage, type ComposedMessage, type MessageHead } from '../rendering/compose-message.ts'
import { findDomain } from '../senders/sender-domain.ts'
import { senderKeyContext } from '../senders/sender-operations.ts'
import { describeFailure } from '../transport/classify-failure.ts'
import type { ClaimedMessage } from './claim-message.ts'

/**
 * What to do with a claimed mail. `disabled`: the seller switched it off, or has no address for notices. `undeliverable`: the address was rejected before. `unknown`: its
 * seller or address has not arrived yet, or a replica of a later release has to send it. `invalid`: it can never be sent.
 */
export type PreparedMessage =
  | { outcome: 'ready'; message: ComposedMessage }
  | { outcome: 'disabled' }
  | { outcome: 'undeliverable' }
  | { outcome: 'unknown'; reason: string }
  | { outcome: 'invalid'; reason: string }

/** Builds the complete message of a row. The same row gives the same message in every attempt. */
export async function prepareMessage(claimed: ClaimedMessage, settings: MailSettings): Promise<PreparedMessage> {
  const { organization_id, seller_name, seller_slug, recipient, email_settings } = claimed
  if (organization_id !== null && seller_name === null) return { outcome: 'unknown', reason: 'The organization is not known yet' }
  if (!isKnownKind(claimed.kind)) return { outcome: 'unknown', reason: 'This release does not know the kind of the mail' }
  try {
    const data = MailData.parse(claimed.content)
    const setting = findEmailSetting(data)
    if (setting !== null && email_settings?.[setting] === false) return { outcome: 'disabled' }
    if (claimed.is_opted_out && isOptional(data.kind)) return { outcome: 'disabled' }
    // Codes and the receipts that the law demands are tried: one that arrives proves the address.
    if (claimed.is_undeliverable && setting !== null) return { outcome: 'undeliverable' }
    if (isSellerNotice(data.kind) && validAddress(recipient) === null) return { outcome: 'disabled' }
    if (recipient === null) return { outcome: 'unknown', reason: 'The address of the customer is not known yet' }
    const secret = openMailSecret(claimed, { kind: data.kind, settings })
    const addresses = ownAddresses(settings)
    const optOut = isOptional(data.kind) ? createOptOutToken(claimed.id, settings.MAIL_KEY[0] as Uint8Array) : null
    const mail = { data, seller: seller_name ?? 'Quittance', slug: seller_slug, locale: claimed.locale, secret, optOut }
    const content = buildContent(mail, addresses)
    const head = {
      id: claimed.id,
      createdAt: new Date(claimed.created_at),
      recipient,
      ...chooseSender(claimed, { kind: data.kind, settings }),
      replyTo: isSellerNotice(data.kind) ? null : validAddress(claimed.seller_email),
      optOutUrl: optOut === null ? null : optOutAddress(addresses, optOut),
    }
    return { outcome: 'ready', message: await composeMessage(content, head) }
  } catch (error) {
    return { outcome: 'invalid', reason: describeFailure(error) }
  }
}

/** The address of the seller while its domain is verified, else that of the operator. Mails of the operator have its address. */
function chooseSender(
  { sender_id: id, sender_address: address, sender_selector: keySelector, sender_key: sealed }: ClaimedMessage,
  { kind, settings }: SecretOptions,
): Pick<MessageHead, 'from' | 'idDomain' | 'signature'> {
  const { from } = settings.transport
  const idDomain = findDomain(from)
  if (id === null || address === null || keySelector === null || sealed === null || kind === 'invitation' || isSellerNotice(kind)) {
    return { from, idDomain, signature: null }
  }
  try {
    const privateKey = openSecret(sealed, { keys: settings.MAIL_KEY, context: senderKeyContext(id) })
    return { from: address, idDomain, signature: { domainName: findDomain(address), keySelector, privateKey } }
  } catch {
    // The key of an earlier MAIL_KEY: a mail without its signature must not come from the domain.
    return { from, idDomain, signature: null }
  }
}

interface SecretOptions {
  kind: MailData['kind']
  settings: MailSettings
}

function openMailSecret({ sealed_secret, source_id }: ClaimedMessage, { kind, settings }: SecretOptions): string | null {
  if (sealed_secret === null || (kind !== 'customer_code' && kind !== 'invitation' && kind !== 'password_reset')) return null
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
