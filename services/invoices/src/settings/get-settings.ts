import { getInvoiceSettings as contract } from '@quittance/contracts/invoice-settings'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { query } from '@quittance/runtime/handler'
import { settingsView, unsaid } from './settings-view.ts'

export const getInvoiceSettings = query(contract, async ({ organization_id }, { caller, read }) => {
  const id = chosenOrganization(caller, organization_id)
  const found = await read.oneOrNull(settingsView, { where: 's.organization_id = :id', values: { id } })
  return found ?? unsaid(id)
})
