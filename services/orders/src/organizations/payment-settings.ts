import {
  getPaymentSettings as getContract,
  updatePaymentSettings as updateContract,
  type PaymentSettings,
} from '@quittance/contracts/payment-settings'
import { command, query } from '@quittance/runtime/handler'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import type { View } from '@quittance/sql/view'
import { createSetupPendingError, requireOrganization } from './organization.ts'

const paymentSettingsView: View<PaymentSettings> = {
  name: 'payment-settings',
  organization: 'o.id',
  from: 'organizations o',
  columns: 'o.id as organization_id, o.retry_after_days, o.after_last_try',
}

const ofOrganization = (id: string) => ({ where: 'o.id = :id', values: { id } })

export const getPaymentSettings = query(getContract, async ({ organization_id }, { caller, read }) => {
  const found = await read.oneOrNull(paymentSettingsView, ofOrganization(resolveOrganization(caller, organization_id)))
  if (!found) throw createSetupPendingError()
  return found
})

const change = `
  update organizations set retry_after_days = coalesce(:retry_after_days::int[], retry_after_days),
    after_last_try = coalesce(:after_last_try::text, after_last_try)
  where id = :id and id = any (:scope_organizations)`

export const updatePaymentSettings = command(updateContract, async ({ organization_id, ...settings }, { caller, sql, read }) => {
  const id = resolveOrganization(caller, organization_id)
  await requireOrganization(sql, id)
  const { retry_after_days = null, after_last_try = null } = settings
  await sql('organization.change-dunning', change, { id, retry_after_days, after_last_try })
  return read.one(paymentSettingsView, ofOrganization(id))
})
