import {
  getInvoiceSettings as getInvoiceSettingsContract,
  invoiceSettingsUpdated,
  updateInvoiceSettings as updateInvoiceSettingsContract,
  type InvoiceSettings,
} from '@quittance/contracts/invoice-settings'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import type { RequestOf } from '@quittance/contracts/operation'
import { query, staged, type CommandContext, type Transaction } from '@quittance/runtime/handler'
import { RequestValidationError } from '@quittance/contracts/errors'
import { prepareLogo } from '../pictures/prepare-logo.ts'
import { type SellerSettings, type SettingsChange, defaultSettings } from './seller-settings.ts'
import { loadSettingsForUpdate } from './load-settings.ts'
import { describeMissingDetails, findMissingSellerDetails } from './missing-seller-details.ts'
import type { View } from '@quittance/sql/view'

export const getInvoiceSettings = query(getInvoiceSettingsContract, async ({ organization_id }, { caller, read }) => {
  const id = resolveOrganization(caller, organization_id)
  const found = await read.oneOrNull(settingsView, { where: 's.organization_id = :id', values: { id } })
  return found ? withWarnings(JSON.parse(found)) : defaultSettingsReply(id)
})

/** The logo is prepared before the transaction, which only stores it. */
export const updateInvoiceSettings = staged(updateInvoiceSettingsContract, {
  async prepare({ organization_id, logo }, { caller }) {
    const organizationId = resolveOrganization(caller, organization_id)
    return logo ? prepareLogo(logo, organizationId) : logo
  },
  commit: changeSettings,
  finish: (changed) => changed,
})

async function changeSettings(
  { organization_id, ...change }: RequestOf<typeof updateInvoiceSettingsContract>,
  context: CommandContext & { prepared: SettingsChange['logo'] },
): Promise<InvoiceSettings> {
  const { em, caller, read, prepared: logo } = context
  const organizationId = resolveOrganization(caller, organization_id)
  const settings = await loadSettingsForUpdate(organizationId, context)
  settings.change({ ...change, logo })
  await em.flush()
  await assertPrefixesUnused(settings, context)
  const { always: missing, whenTaxed: missing_when_taxed } = findMissingSellerDetails(settings)
  const payload = { organization_id: organizationId, missing, missing_when_taxed }
  context.publish({ event: invoiceSettingsUpdated, aggregateId: organizationId, organizationId, payload })
  return withWarnings(JSON.parse(await read.one(settingsView, { where: 's.organization_id = :id', values: { id: organizationId } })))
}

const selectPrefixConflict = `
  select kind from document_series
  where organization_id = :organization_id and organization_id = any (:scope_organizations)
    and ((kind = 'credit_note' and prefix ~ ('^' || :invoice || '-([0-9]{4}-)?$')) or (kind = 'invoice' and prefix ~ ('^' || :credit_note || '-([0-9]{4}-)?$')))
  limit 1`

/** Ensures that invoices and credit notes never share a series, including series used earlier. */
async function assertPrefixesUnused(
  { organizationId, invoicePrefix, creditNotePrefix }: SellerSettings,
  { sql }: Transaction,
): Promise<void> {
  const values = { organization_id: organizationId, invoice: invoicePrefix ?? '', credit_note: creditNotePrefix ?? '' }
  const [conflict] = await sql<{ kind: 'invoice' | 'credit_note' }>('invoice-settings.taken-prefix', selectPrefixConflict, values)
  if (!conflict) return
  const field = conflict.kind === 'invoice' ? 'credit_note_prefix' : 'invoice_prefix'
  throw RequestValidationError.field([field], 'Documents of the other kind already use this prefix.')
}

/** Stored settings; the warnings are derived from them. */
type StoredSettings = Omit<InvoiceSettings, 'warnings'>

export const settingsView: View<StoredSettings> = {
  name: 'invoice-settings',
  organization: 's.organization_id',
  from: 'invoice_settings s',
  columns: `s.organization_id, s.legal_name, s.address, s.tax_id, s.logo, s.footer, s.locale, s.paper, s.invoice_prefix, s.credit_note_prefix,
    s.yearly, s.padding, s.electronic, s.electronic_profile, s.electronic_address, s.contact_name, s.contact_email, s.contact_phone,
    s.time_zone, s.tax_exemption`,
}

/** Returns the default settings of an organization. */
export function defaultSettingsReply(organizationId: string): InvoiceSettings {
  const { legalName, address, taxId, logo, footer, locale, paper, invoicePrefix, creditNotePrefix, electronicProfile } = defaultSettings
  const { yearly, padding, electronic } = defaultSettings
  return withWarnings({
    organization_id: organizationId,
    legal_name: legalName,
    address,
    tax_id: taxId,
    logo,
    footer,
    locale,
    paper,
    invoice_prefix: invoicePrefix,
    credit_note_prefix: creditNotePrefix,
    yearly,
    padding,
    electronic,
    electronic_profile: electronicProfile,
    electronic_address: null,
    contact_name: null,
    contact_email: null,
    contact_phone: null,
    time_zone: null,
    tax_exemption: null,
  })
}

function withWarnings(settings: StoredSettings): InvoiceSettings {
  const { address, electronic, tax_id: taxId, contact_name, contact_email, contact_phone, electronic_profile } = settings
  const contact = { contactName: contact_name, contactEmail: contact_email, contactPhone: contact_phone }
  const warnings = describeMissingDetails({ address, taxId, electronic, electronicProfile: electronic_profile, ...contact })
  return { ...settings, warnings }
}
