import { ResourceNotFound } from '@quittance/contracts/errors'
import { getInvoiceUbl as contract, InvoiceNotElectronic } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { ublXml } from '../electronic/invoice-xml.ts'
import { whyNotElectronic } from '../electronic/why-not-electronic.ts'
import { thawed, type FrozenDocument } from './frozen-document.ts'
import { frozenView } from './invoice-view.ts'

/** More would hold up this process, and what it answers must pass through one message. */
const mostLines = 500

export const getInvoiceUbl = query(contract, async ({ id }, { read }) => {
  const { printed } = JSON.parse(await read.one(frozenView, { where: 'i.id = :id', values: { id } })) as { printed: FrozenDocument | null }
  if (!printed) throw new ResourceNotFound('The invoice is from before its contents were kept.')
  const document = thawed(printed)
  const reasons = whyNotElectronic(document)
  if (document.lines.length > mostLines) reasons.push(`It has more than ${mostLines} lines.`)
  if (reasons.length > 0) throw new InvoiceNotElectronic(reasons.join(' '))
  return { text: await ublXml(document), next: null }
})
