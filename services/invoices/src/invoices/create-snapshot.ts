import { verifyPath } from '@quittance/contracts/invoice-verification'
import type { InvoiceSource } from '@quittance/contracts/orders'
import { config } from '../config.ts'
import type { SellerSettings } from '../settings/seller-settings.ts'
import type { DocumentSnapshot } from './document-snapshot.ts'
import type { DocumentKind } from '../series/number-format.ts'

interface Issued {
  id: string
  kind: DocumentKind
  number: string
  source: InvoiceSource
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
    },
    buyer: { name: source.billing_name, address: source.billing_address, taxId: source.tax_id, email: source.customer_email },
    orderedAt: source.order_created_at,
    servicePeriod: source.period,
    lines: source.items.map(({ label, amount, discount_amount: discount, tax_amount: tax, proration }) => ({
      ...{ label, amount, discount, tax, proration },
    })),
    ...{ subtotal: subtotal_amount, discount: discount_amount, net: net_amount, tax: tax_amount, total: total_amount },
    taxBehavior: source.tax_behavior,
    taxes: source.taxes,
    paidAt: kind === 'invoice' ? source.paid_at : null,
    refersTo: null,
    electronic: settings.electronic,
    verifyUrl: verifyUrl({ id, number }),
  }
}

function verifyUrl({ id, number }: { id: string; number: string }): string {
  return `${config().BASE_URL.replace(/\/+$/, '')}${verifyPath}?${new URLSearchParams({ number, id })}`
}
