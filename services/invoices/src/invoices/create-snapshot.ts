import { verificationPath } from '@quittance/contracts/invoice-verification'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import type { UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'
import { pagesUrl } from '../config.ts'
import type { DocumentLine, TransferTerms } from '../rendering/document-model.ts'
import type { SellerSettings } from '../settings/seller-settings.ts'
import type { DocumentSnapshot, DocumentSource } from './document-snapshot.ts'
import type { DocumentKind } from '../series/number-format.ts'

interface Issued {
  id: string
  kind: DocumentKind
  number: string
  source: DocumentSource
  settings: SellerSettings
  issuedAt: Date
}

const letterCountries = new Set(['US', 'CA'])

/** Builds the complete content of a document from an order and the settings of the seller. */
export function createSnapshot({ id, kind, number, source, settings, issuedAt }: Issued): DocumentSnapshot {
  const { subtotal_amount, discount_amount, net_amount, tax_amount, total_amount } = source
  const address = settings.address ?? null
  return {
    kind,
    number,
    issuedAt: issuedAt.toISOString(),
    locale: source.locale ?? settings.locale ?? 'en',
    paper: settings.paper ?? (address && letterCountries.has(address.country) ? 'letter' : 'a4'),
    currency: source.currency,
    seller: {
      name: settings.legalName ?? source.organization.name,
      address,
      taxId: settings.taxId ?? null,
      logo: settings.logo ?? null,
      footer: settings.footer ?? null,
      contact: toContact(settings),
      taxExemption: settings.taxExemption ?? null,
      electronicAddress: settings.electronicAddress ?? null,
    },
    buyer: {
      name: source.billing_name,
      address: source.billing_address,
      taxId: source.tax_id,
      email: source.customer_email,
      electronicAddress: source.buyer_address ?? null,
    },
    orderedAt: source.order_created_at,
    servicePeriod: source.period,
    lines: source.items.map(toLine),
    subtotal: subtotal_amount,
    discount: discount_amount,
    net: net_amount,
    tax: tax_amount,
    total: total_amount,
    taxBehavior: source.tax_behavior,
    taxes: source.taxes,
    paidAt: kind === 'invoice' ? source.paid_at : null,
    refersTo: null,
    electronic: settings.electronic,
    profile: settings.electronicProfile,
    timeZone: settings.timeZone ?? 'UTC',
    payment: kind === 'invoice' ? (source.payment ?? null) : null,
    ...(kind === 'invoice' && 'transfer' in source && { transfer: toTransfer(source) }),
    orderId: source.order_id,
    buyerReference: source.buyer_reference ?? null,
    verifyUrl: `${pagesUrl()}${verificationPath({ number, id })}`,
  }
}

function toContact({ contactName: name = null, contactEmail: email = null, contactPhone: phone = null }: SellerSettings) {
  return name || email || phone ? { name, email, phone } : null
}

function toTransfer({ transfer: { due_date: dueDate, ...transfer } }: UnpaidInvoiceSource): TransferTerms {
  return { ...transfer, dueDate }
}

function toLine({
  label,
  amount,
  discount_amount,
  tax_amount,
  proration,
  quantity,
  tax_position,
}: InvoiceSource['items'][number]): DocumentLine {
  return {
    label,
    amount,
    discount: discount_amount,
    tax: tax_amount,
    proration,
    quantity: quantity ?? 1,
    ...(typeof tax_position === 'number' && { taxPosition: tax_position }),
  }
}
