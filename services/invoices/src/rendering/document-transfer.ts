import { formatIban } from '@quittance/contracts/iban'
import type { DocumentLocale } from './document-locale.ts'
import type { DocumentModel } from './document-model.ts'
import { escapeHtml, isolateDirection } from './markup.ts'
import { qrCode } from './qr-code.ts'

/** Returns how the buyer pays: the account, the reference, and the code from which a banking application fills in the transfer. */
export function documentTransfer({ transfer }: DocumentModel, { strings, day }: DocumentLocale): string {
  if (!transfer) return ''
  const { beneficiary, iban, bic, reference, dueDate, epc } = transfer
  const rows = [
    [strings.beneficiary, isolateDirection(beneficiary)],
    ['IBAN', leftToRight(formatIban(iban))],
    ...(bic ? [['BIC', leftToRight(bic)] as const] : []),
    [strings.paymentReference, leftToRight(reference)],
    [strings.dueDate, escapeHtml(day(dueDate))],
  ]
  const list = rows.map(([name, value]) => `<div><dt>${escapeHtml(name as string)}</dt><dd>${value}</dd></div>`).join('')
  const code = epc ? qrCode(epc, strings.scanToPay) : ''
  const hint = epc ? `<p>${escapeHtml(strings.scanToPay)}</p>` : ''
  return `<section class="transfer"><h2>${escapeHtml(strings.transfer)}</h2><div>${code}<div><dl>${list}</dl>${hint}</div></div></section>`
}

function leftToRight(value: string): string {
  return `<bdo dir="ltr">${escapeHtml(value)}</bdo>`
}
