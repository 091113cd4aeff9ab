import { randomUUID } from 'node:crypto'
import type { InvoiceSource } from '@quittance/contracts/invoice-source'
import type { UnpaidInvoiceSource } from '@quittance/contracts/unpaid-invoices'

/** Payload that `orders` publishes for a paid order whose invoice is requested. */
export function anInvoiceSource(): InvoiceSource {
  return {
    order_id: randomUUID(),
    order_created_at: '2026-11-18T10:00:00Z',
    organization: { id: randomUUID(), name: 'Northwind Analytics', slug: 'northwind' },
    customer_id: randomUUID(),
    currency: 'usd',
    billing_name: 'Zofia Łukasiewicz & Synowie',
    billing_address: { line1: 'ul. Marszałkowska 84/92', line2: null, postal_code: '00-514', city: 'Warszawa', state: null, country: 'PL' },
    tax_id: 'PL5260001246',
    customer_email: 'zofia@example.com',
    items: [
      { label: 'Analytics Pro, yearly', amount: 129_900, discount_amount: 0, tax_amount: 0, proration: false },
      { label: 'Onboarding workshop', amount: 45_000, discount_amount: 0, tax_amount: 0, proration: false },
    ],
    subtotal_amount: 174_900,
    discount_amount: 17_490,
    net_amount: 157_410,
    tax_amount: 36_204,
    taxes: [],
    tax_behavior: 'exclusive',
    total_amount: 193_614,
    paid_at: '2026-11-18T10:02:00Z',
    locale: null,
    period: null,
    refunds: [],
  }
}

/** The order of `anInvoiceSource` while it waits for a bank transfer. */
export function anUnpaidSource(): UnpaidInvoiceSource {
  const transfer = {
    beneficiary: 'Northwind Analytics',
    iban: 'DE89370400440532013000',
    bic: null,
    reference: 'RF18539007547034',
    due_date: '2026-12-09',
    epc: null,
  }
  return { ...anInvoiceSource(), paid_at: null, transfer }
}
