import { formatIban } from '@quittance/contracts/iban'
import { toVisible, type Fact } from './mail-content.ts'
import type { TransferRequestData } from './mail-data.ts'
import { fillTexts, forCustomer, type Writing, type Written } from './writing.ts'

/** Writes the mail that asks to send the money of an order by bank transfer. It leads to the order, whose page has the code to scan. */
export function writeTransferRequest(mail: Writing, data: TransferRequestData): Written {
  const { words, formats, seller, slug, addresses } = mail
  const { transfer, facts, actions } = words
  const amount = formats.money(data.amount, data.currency)
  const rows: [label: string, value: string | null][] = [
    ['IBAN', formatIban(data.iban)],
    ['BIC', data.bic],
    [transfer.beneficiary, data.beneficiary],
    [transfer.reference, data.reference],
  ]
  const account = rows.flatMap(([label, value]): Fact[] => (value ? [{ label, value: toVisible(value), mayBreak: true }] : []))
  const order = `${addresses.pages}/${encodeURIComponent(slug ?? '')}/portal/orders/${encodeURIComponent(data.orderId)}`
  return {
    ...fillTexts(transfer, { seller, product: toVisible(data.product), amount }),
    facts: [
      ...account,
      { label: transfer.due, value: formats.date(data.dueDate) },
      { label: facts.amount, value: amount, isEmphasized: true },
    ],
    ...forCustomer(mail),
    ...(slug !== null && { action: { label: actions.portal, url: order } }),
  }
}
