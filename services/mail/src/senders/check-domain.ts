import { Resolver } from 'node:dns/promises'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import type { MailSettings } from '../config.ts'
import { allowsSending, findDomain, hasSigningKey, type TxtRecords } from './sender-domain.ts'

/** What a check of the DNS looks for. */
export interface CheckedSender {
  domain: string
  selector: string
  public_key: string
}

/** What a check found. */
export interface DomainCheck {
  hasDkim: boolean
  hasSpf: boolean
}

const timeoutMs = 2_000
/** Limit for all name servers together: the caller of an operation waits 10 s for its reply. */
const maxMs = 6_000

/** Reads the records of a domain. Returns null if the name servers did not answer: this proves nothing about the domain. */
export async function checkDomain({ domain, selector, public_key }: CheckedSender, settings: MailSettings): Promise<DomainCheck | null> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (settings.MAIL_DNS_SERVERS) resolver.setServers(settings.MAIL_DNS_SERVERS)
  const read = (name: string): Promise<TxtRecords | null> =>
    resolver.resolveTxt(name).catch((error: unknown) => (hasNone(error) ? [] : null))
  const limit = setTimeout(() => resolver.cancel(), maxMs)
  const [keys, policies] = await Promise.all([read(`${selector}._domainkey.${domain}`), read(domain)])
  clearTimeout(limit)
  if (!keys || !policies) return null
  return {
    hasDkim: hasSigningKey(keys, public_key),
    hasSpf: allowsSending(policies, findDomain(settings.transport.from)),
  }
}

/** Whether the name servers know that there is no such record. */
function hasNone(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes(String((error as { code?: unknown }).code))
}

const record = `
  update senders set has_dkim = :has_dkim, has_spf = :has_spf, checked_at = now(), modified_at = now()
  where id = :id and organization_id = any (:scope_organizations)`

/** Records what a check found. A sender that lost a record is no longer used. */
export async function recordCheck(sql: ScopedSql, { id, hasDkim, hasSpf }: DomainCheck & { id: string }): Promise<void> {
  await sql('sender.record-check', record, { id, has_dkim: hasDkim, has_spf: hasSpf })
}
