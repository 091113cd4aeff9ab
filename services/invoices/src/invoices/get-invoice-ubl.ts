import { ResourceNotFound } from '@quittance/contracts/errors'
import { getInvoiceUbl as contract, InvoiceNotElectronic } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { ublXml } from '../electronic/invoice-xml.ts'
import { effectiveProfile } from '../electronic/profile-blockers.ts'
import { findElectronicBlockers } from '../electronic/electronic-blockers.ts'
import { parseSnapshot, type DocumentSnapshot } from './document-snapshot.ts'
import { snapshotView } from './invoice-view.ts'

/** A longer document would block the event loop, and the reply must fit into one message. */
const maxLines = 500

export const getInvoiceUbl = query(contract, async ({ id }, { read }) => {
  const { printed } = JSON.parse(await read.one(snapshotView, { where: 'i.id = :id', values: { id } })) as {
    printed: DocumentSnapshot | null
  }
  if (!printed) throw new ResourceNotFound('The invoice was issued before document contents were stored.')
  const document = parseSnapshot(printed)
  const reasons = findElectronicBlockers(document)
  if (document.lines.length > maxLines) reasons.push(`The document has more than ${maxLines} lines.`)
  if (reasons.length > 0) throw new InvoiceNotElectronic(reasons.join(' '))
  return { text: await ublXml(document, effectiveProfile(document)), next: null }
})
